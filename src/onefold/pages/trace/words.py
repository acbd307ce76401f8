"""A sentence for each step: which operator, window, key and tuple, and what the watermark says."""

from __future__ import annotations

from dataclasses import dataclass

from onefold.core.plan import Late, Node, Plan, Source
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME, show_duration
from onefold.core.values import listed
from onefold.engines.trace import Event, Kind
from onefold.operators.filter import Filter
from onefold.operators.join import Join
from onefold.operators.loop import LoopAggregation
from onefold.pages.trace.recording import Cause, Recording
from onefold.pages.trace.window_words import Scene, behind_words, late_words, window_words


@dataclass
class Words:
    """Tells a recording step by step; the scene is what each operator has come to."""

    recording: Recording
    scene: Scene

    def __post_init__(self) -> None:
        self.plan: Plan = self.recording.plan
        self.clock, self.names, self.stood = self.scene.clock, self.scene.names, self.scene.stood

    def tell(self, event: Event, cause: Cause, *, last: bool) -> str:
        """Return the sentence of a step, and take note of it; `last`: its input is the last."""
        text = self._told(event, cause, last=last)
        self.stood.note(event)
        return text

    def _told(self, event: Event, cause: Cause, *, last: bool) -> str:
        match event.kind:
            case Kind.TUPLE:
                return self._tuple(event.node, self._tuple_of(event))
            case Kind.WATERMARK:
                return self._watermark(event, cause)
            case Kind.ARRIVED:
                return self._arrived(event, last=last)
            case Kind.REACHED:
                return self._reached(event)
            case Kind.HELD_BACK:
                return self._held_back(event)
            case Kind.LET_BY:
                return self._let_by(event)
            case Kind.LATE:
                return late_words(self.scene, event, self._tuple_of(event))
            case Kind.TURNED:
                t = self._tuple_of(event)
                return f"{self._shown(t)} comes round the loop, back into {self._name(event)}."
        return window_words(self.scene, event)

    def _tuple(self, node: Node, t: Tuple) -> str:
        match node:
            case Source():
                return f"{self._shown(t)} comes in at {self.names[node]}.{self._behind(node, t)}"
            case Filter():
                text = f"{self._shown(t)} passes {self.names[node]}: the predicate holds."
            case Late():
                text = f"{self._shown(t)} goes on in the {self._late_of(node)}."
            case _:
                text = f"{self.names[node]} sends on {self._shown(t)}."
        if not isinstance(node, Late):
            text += self._behind(node, t)
        if node is self.plan.output:
            text += " It is output of the pipeline."
        return text

    def _behind(self, node: Node, t: Tuple) -> str:
        watermark = self.stood.sent(node)
        if t.time >= watermark:
            return ""
        if watermark == END_OF_TIME:
            return " The stream had ended."
        before = "" if isinstance(node, Source) else " that was sent on before"
        return f" It is {self.scene.behind(t, watermark)}{before}."

    def _watermark(self, event: Event, cause: Cause) -> str:
        node, watermark = event.node, self._mark(event)
        if isinstance(node, Source):
            if watermark == END_OF_TIME:
                return f"{self.names[node].capitalize()} has ended: no tuple comes there any more."
            why = ""
            if self.recording.delay is not None and watermark > START_OF_TIME:
                delay = self.recording.delay
                less = f", less the delay of {show_duration(delay)}" if delay else ""
                why = f" It is the latest time so far, {self._at(cause.latest)}{less}."
            return (
                f"The watermark of {self.names[node]} goes to {self._at(watermark)}: it promises "
                f"no tuple before that any more.{why}"
            )
        if watermark == END_OF_TIME:
            end = "The output is complete." if node is self.plan.output else ""
            text = f"{self.names[node]} has ended, and says so downstream. {end}".rstrip()
        else:
            text = f"{self.names[node]} sends the watermark {self._at(watermark)} on."
        if node is self.plan.output and watermark != END_OF_TIME:
            text += f" All output before {self._at(watermark)} is out, but for what comes of "
            text += "tuples behind the watermark."
        return text

    def _arrived(self, event: Event, *, last: bool) -> str:
        node, t = event.node, self._tuple_of(event)
        side = f" by its {('left', 'right')[event.port]} input" if isinstance(node, Join) else ""
        text = f"{self._shown(t)} arrives at {self._name(event)}{side}."
        sure = not (last and self.recording.stopped)
        if isinstance(node, Filter) and sure and id(t) not in self.stood.passing(node):
            return text + " The predicate does not hold, and it goes no further."
        return text + behind_words(self.scene, node, t)

    def _reached(self, event: Event) -> str:
        node, watermark = event.node, self._mark(event)
        name = self._name(event)
        if watermark == END_OF_TIME:
            return f"All that {name} reads has ended: its watermark goes to the end of time."
        least = " It is the least of its inputs." if len(node.inputs) > 1 else ""
        before = self.stood.reached(node)
        start = f" from {self._at(before)}" if before > START_OF_TIME else ""
        return (
            f"The watermark of {name} goes{start} to {self._at(watermark)}: "
            f"it expects no tuple before that any more.{least}"
        )

    def _held_back(self, event: Event) -> str:
        node = event.node
        slow = [
            self.names[each]
            for each in dict.fromkeys(node.inputs)
            if self.stood.sent(each) <= self.stood.reached(node)
        ]
        own = self.stood.reached(node)
        stays = "has none yet" if own == START_OF_TIME else f"stays at {self._at(own)}"
        waits = f" It waits for {listed(slow)}." if slow else ""
        return (
            f"The watermark {self._at(self._mark(event))} comes to {self._name(event)} from "
            f"{self.names[node.inputs[event.port]]}, but its own is the least of its inputs, and "
            f"{stays}.{waits}"
        )

    def _let_by(self, event: Event) -> str:
        watermark, arrived = self._mark(event), self.stood.reached(event.node)
        text = f"{self._name(event)} lets its own watermark go to {self._at(watermark)}"
        if watermark >= arrived or not isinstance(event.node, LoopAggregation):
            return f"{text}."
        if arrived == END_OF_TIME:
            return f"{text} first: more may have to come round before the end."
        return (
            f"{text} first, not to {self._at(arrived)}: "
            "a tuple that is still to come round must not be late."
        )

    def _late_of(self, node: Late) -> str:
        return f"late stream of {self.names[node.inputs[0]]}"

    def _name(self, event: Event) -> str:
        return self.names[event.node]

    def _shown(self, t: Tuple) -> str:
        return self.clock.tuple(t)

    def _at(self, time: int) -> str:
        return self.clock.time(time)

    @staticmethod
    def _tuple_of(event: Event) -> Tuple:
        assert event.tuple is not None
        return event.tuple

    @staticmethod
    def _mark(event: Event) -> int:
        assert event.watermark is not None
        return event.watermark
