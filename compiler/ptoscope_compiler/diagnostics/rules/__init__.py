"""The rules, one file each: `<code>_<name>.py` holds `RULE`."""
