"""Texts and tables: languages, phrases, dates, search terms, shipped files. Knows no organ."""
