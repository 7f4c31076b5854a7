"""Figures and pictures: a module a family, one style sheet, no display needed."""
