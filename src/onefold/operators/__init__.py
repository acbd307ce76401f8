"""One file for each operator: its dedicated meaning, and its composition from lower ones.

Everything comes down to `aggregate`:

    filter, map  =  flat_map
    flat_map     =  aggregate_plus over one instant, by the whole tuple        (theorem 1)
    join         =  aggregate_plus over two aggregates                         (theorem 2)
    stateful     =  flat_map, an aggregate with a loop, flat_map               (lemma 5)
    aggregate_plus = unfold after embed, three aggregates and a loop           (theorem 3)
"""
