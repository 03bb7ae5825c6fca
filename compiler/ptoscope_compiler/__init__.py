"""From PyPTO source text to diagnostics, graphs and PTO programs. Never imports or executes the text it analyses."""
