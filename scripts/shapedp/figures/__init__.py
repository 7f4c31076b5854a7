"""Figures and pictures: one module a family, one style sheet, no display needed."""
