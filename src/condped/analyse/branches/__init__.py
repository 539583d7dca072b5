"""Which parameter switches which, and what matters inside each branch."""
