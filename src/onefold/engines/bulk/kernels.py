"""Which operators run in bulk."""

from __future__ import annotations

from onefold.core.aggregate import WHOLE_TUPLE, Aggregate, ManyRows
from onefold.core.functions import UserFunction
from onefold.core.kernel import Kernel, Watch
from onefold.core.plan import Node
from onefold.core.time import TICK
from onefold.engines.bulk.flat_map import FlatMapInBulk
from onefold.engines.bulk.instants import EachInBulk, EmbedInBulk
from onefold.engines.bulk.join import JoinInBulk
from onefold.engines.bulk.pairs import CollectInBulk, EmbeddedPairsInBulk, PairsInBulk
from onefold.engines.bulk.unfold import CountInBulk, PickInBulk
from onefold.operators.aggregate import Aggregation
from onefold.operators.flat_map import FlatMap
from onefold.operators.join import Collected, Join, Pairs
from onefold.operators.loop import LoopAggregation
from onefold.operators.unfold import next_position, tuple_at_position


def in_bulk(node: Node, watch: Watch | None) -> Kernel:
    """Return the kernel that runs a node: in bulk, or else its own."""
    return (None if watch else _in_bulk(node)) or node.kernel(watch)


def _in_bulk(node: Node) -> Kernel | None:
    match node:
        case FlatMap(function=UserFunction(check=ManyRows())):
            return FlatMapInBulk(node)
        case Join():
            return JoinInBulk(node)
        case LoopAggregation(aggregate=Aggregate(lateness=lateness, function=function)):
            # With a lateness, what embed emits when it fires again would come in late.
            return CountInBulk(node) if (function, lateness) == (next_position, TICK) else None
        case Aggregation(aggregate=Aggregate(function=Pairs() as pairs, lateness=0)):
            return PairsInBulk(node, pairs.join)
        case Aggregation(aggregate=Aggregate(embeds=Aggregate(function=Pairs() as pairs))):
            return EmbeddedPairsInBulk(node, pairs.join)
        case Aggregation(aggregate=Aggregate(size=1, advance=1, lateness=0) as meaning):
            return _over_instants(node, meaning)
    return None


def _over_instants(node: Aggregation, meaning: Aggregate) -> Kernel | None:
    match meaning:
        case Aggregate(function=function) if function is tuple_at_position:
            return PickInBulk(node)
        case Aggregate(key=key) if key != WHOLE_TUPLE:
            return None
        case Aggregate(each=UserFunction()):
            return EachInBulk(node)
        case Aggregate(embeds=Aggregate(each=UserFunction())):
            return EmbedInBulk(node)
        case Aggregate(function=Collected() as collected):
            return CollectInBulk(node, collected)
    return None
