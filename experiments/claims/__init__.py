"""What the paper says, sentence by sentence, and whether it holds."""
