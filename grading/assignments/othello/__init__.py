"""Othello: its model with the known faults, its fresh games."""
