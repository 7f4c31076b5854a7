"""Noise shaped like people: a public second moment of whole faces says in which directions a release needs it."""
