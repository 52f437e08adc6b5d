import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._core import Gpu

Path = Union[str, "os.PathLike[str]"]
AnyGpu = Union[Path, Gpu]
Names = Union[str, Sequence[str]]

class Report:
    def __init__(self, arguments: List[str], text: Optional[str] = ..., name: str = ...) -> None: ...
    def to_dict(self) -> Dict[str, Any]: ...
    def summary(self) -> str: ...
    def save(self, path: Path) -> None: ...
    def _repr_html_(self) -> str: ...

class Exploration:
    designs: List[Dict[str, Any]]
    def __init__(self, arguments: List[str]) -> None: ...
    def summary(self) -> str: ...
    def save(self, folder: Path) -> None: ...

def explain(model: Any, layer: str, gpu: AnyGpu = ..., **options: Any) -> Report: ...
def roofline(model: Any, gpu: AnyGpu = ..., **options: Any) -> Report: ...
def validate(
    *tables: Any,
    by: Names = ...,
    where: Optional[str] = ...,
    tier: Optional[str] = ...,
    method: Optional[Names] = ...,
) -> Report: ...
def explore(
    space: Path,
    *,
    best: int = ...,
    rank_by: Optional[str] = ...,
    pareto: Names = ...,
    heat_map: Names = ...,
    costs: Optional[Path] = ...,
    method: Optional[str] = ...,
    precision: Optional[str] = ...,
    threads: Optional[int] = ...,
) -> Exploration: ...
