import os
from typing import Any, List, Sequence, Union, overload

from ._core import Gpu
from .prediction import Prediction

AnyGpu = Union[str, "os.PathLike[str]", Gpu]

DEFAULT_GPU: str

@overload
def predict(model: Any, gpu: AnyGpu = ..., inputs: Any = ..., **options: Any) -> Prediction: ...
@overload
def predict(model: Any, gpu: Sequence[AnyGpu], inputs: Any = ..., **options: Any) -> List[Prediction]: ...
def compare(model: Any, gpus: Union[AnyGpu, Sequence[AnyGpu]] = ..., inputs: Any = ..., **options: Any) -> Comparison: ...

class Comparison(List[Prediction]):
    def summary(self) -> str: ...
    def to_pandas(self) -> Any: ...

def max_batch(model: Any, gpu: AnyGpu = ..., inputs: Any = ..., **options: Any) -> int: ...
