"""Processes killed, disks full, files cut, storages restarted, clocks set back: on a schedule."""
