"""Average faces and average shapes that give nothing away about any one person."""

__version__ = "0.1.0"
