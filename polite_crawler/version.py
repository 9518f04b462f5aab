"""The version of the package, where each module can ask for it without the names that the package gives out."""

__version__ = "0.1.0"
