"""What the paper says about real-world benchmarks (§6, appendix G), and whether it holds."""
