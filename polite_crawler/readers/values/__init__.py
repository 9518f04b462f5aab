"""Values in a text (numbers, money, dates, URLs, mail addresses, telephone numbers), each with every meaning that it
can have. Pure scans, linear in the length of the text."""
