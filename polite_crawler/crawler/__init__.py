"""The library: the engine of the package for any program, in a thread of its own."""
