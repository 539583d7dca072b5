// What makes trials slow, beside what makes them good.
function costTold() { return data.cost ? "" : null; }
function drawCost() {}
