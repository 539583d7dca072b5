def summaries(rows, tasks): return rows
def page(told): return ""
Row = dict
