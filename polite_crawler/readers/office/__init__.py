"""Office documents and e-books: files of many parts in a zip file."""
