"""The precision judge: is a kernel's result right, how far is it off, and which line makes it so?"""
