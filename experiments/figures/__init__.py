"""How the paper's figures are drawn here."""
