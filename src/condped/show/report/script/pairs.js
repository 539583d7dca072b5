// Pairs of parameters that act together.
function pairsTold() { return data.pairs && data.pairs.length ? "" : null; }
function drawPairs() {}
