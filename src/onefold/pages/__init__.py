"""Pages and drawings: a plan as SVG, and as a page that a browser shows without a network.

trace       the page of a run, step by step
explain     the page of a pipeline: folded, unfolded, and what Spark runs of it
notebook    how streams, plans and verdicts show themselves in a notebook
drawing     a plan as SVG
placing     where everything stands, once it is known how large it is
boxes       what stands in a box; stages knows what Spark runs of it
scene       what there is to draw: boxes, frames and the wires between them
layout      in which column and row it stands: a layered layout, by fast-sugiyama
lettering   text of a known width
"""
