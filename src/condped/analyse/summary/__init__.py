"""The study at a glance: its best trials, its history, how trials ended, how long they took."""
