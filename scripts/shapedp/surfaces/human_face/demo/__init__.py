"""Simulated people and their scans."""
