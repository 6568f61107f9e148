"""What is compared with PyTorch: the modules beside this one add lines, by family."""

from comparing.table import Table

VERBS = Table()
verb = VERBS.verb
