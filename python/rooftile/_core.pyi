"""The native part: predictions and GPUs. Use what the package `rooftile` has."""

from typing import Any, Dict, List, Optional, Tuple, Union

version: str

class Error(Exception):
    """Bad input; one line says what, where and what would do."""

class Gpu:
    """A GPU: an entry of the catalogue, a .toml file, or a changed one."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def memory(self) -> float:
        """Bytes."""
    @staticmethod
    def find(selector: str) -> "Gpu":
        """By id, an unambiguous part of one, or the path of a .toml file."""
    @staticmethod
    def load(path: str) -> "Gpu":
        """Of a .toml file (docs/gpus.md)."""
    def replace(self, **changes: Union[str, int, float]) -> "Gpu":
        """The GPU with other numbers: replace(dram_bandwidth="2 TB/s"); names as `rooftile explore` has them."""
    def json(self) -> str: ...

class Prediction:
    model: str
    gpu: str
    batch_size: int
    precision: str
    time: float
    low: Optional[float]
    high: Optional[float]
    throughput: Optional[float]
    phases: Dict[str, float]
    memory: Dict[str, int]
    fits: bool
    def table(self, width: int, all_layers: bool) -> str: ...
    def json(self) -> str: ...
    def csv(self) -> str: ...
    def html(self) -> str: ...

def gpus() -> List[str]: ...
def models() -> List[Tuple[str, str]]: ...
def predict(model: str, text: Optional[str], gpus: List[Any], options: List[str]) -> List[Prediction]: ...
