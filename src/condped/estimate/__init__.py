"""From counts to numbers: arrays in, arrays out."""
