"""Faults of the files of an index, apart so that a question can name them without the arrays."""


class DamagedSegment(OSError):
    """A file of a segment is missing, has another size, or another CRC-32."""
