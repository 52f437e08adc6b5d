// cuBLASLt as its documentation describes it, for the calls of rooftile-measure: products of column-major matrices,
// summed in double precision.
#include <cstring>
#include <cublasLt.h>
#include <map>
#include <vector>

#include "tests/measure/on_cpu/number.hpp"
#include "tests/measure/on_cpu/runtime.hpp"

namespace {

// Attributes by number, as they were set.
using Attributes = std::map<int, std::vector<std::byte>>;

struct Matmul {
  cudaDataType_t scale = CUDA_R_32F;
  Attributes set;
};
struct Matrix {
  cudaDataType_t type = CUDA_R_32F;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
  Attributes set;
};
struct Preference {
  Attributes set;
};

template <class T>
T get(const Attributes& set, int name, T otherwise) {
  const auto found = set.find(name);
  if (found == set.end()) {
    return otherwise;
  }
  std::memcpy(&otherwise, found->second.data(), sizeof(T));
  return otherwise;
}

cublasStatus_t put(Attributes& set, int name, const void* value, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(value);
  set[name].assign(from, from + bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <class T, class Handle>
T& as(Handle handle) {
  return *reinterpret_cast<T*>(handle);
}

bool transposed(const Matmul& matmul, cublasLtMatmulDescAttributes_t which) {
  return get<std::int32_t>(matmul.set, which, CUBLAS_OP_N) != CUBLAS_OP_N;
}

// Rows and columns of a matrix once it is transposed.
std::pair<std::uint64_t, std::uint64_t> size_of(const Matrix& matrix, bool transpose) {
  return transpose ? std::pair{matrix.columns, matrix.rows} : std::pair{matrix.rows, matrix.columns};
}

bool fits(const Matmul& matmul, const Matrix& a, const Matrix& b, const Matrix& d) {
  const auto [m, k] = size_of(a, transposed(matmul, CUBLASLT_MATMUL_DESC_TRANSA));
  const auto [k_of_b, n] = size_of(b, transposed(matmul, CUBLASLT_MATMUL_DESC_TRANSB));
  return k == k_of_b && d.rows == m && d.columns == n && a.type == b.type &&
         a.ld >= static_cast<std::int64_t>(a.rows) && b.ld >= static_cast<std::int64_t>(b.rows) &&
         d.ld >= static_cast<std::int64_t>(d.rows);
}

// D = alpha op(A) op(B) + beta D.
void multiply(const Matmul& matmul, double alpha, double beta, const void* a, const Matrix& of_a, const void* b,
              const Matrix& of_b, void* d, const Matrix& of_d) {
  const bool trans_a = transposed(matmul, CUBLASLT_MATMUL_DESC_TRANSA);
  const bool trans_b = transposed(matmul, CUBLASLT_MATMUL_DESC_TRANSB);
  const auto epilogue = get(matmul.set, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
  const void* bias = get<const void*>(matmul.set, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
  const auto batch = get<std::int32_t>(of_d.set, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
  const auto offset = [&](const Matrix& matrix, std::int64_t i, std::int64_t row, std::int64_t column) {
    return i * get<std::int64_t>(matrix.set, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 0) + column * matrix.ld + row;
  };
  const auto depth = static_cast<std::int64_t>(size_of(of_a, trans_a).second);
  for (std::int64_t i = 0; i < batch; ++i) {
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(of_d.rows); ++row) {
      for (std::int64_t column = 0; column < static_cast<std::int64_t>(of_d.columns); ++column) {
        double sum = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
          sum += on_cpu::number(a, of_a.type, trans_a ? offset(of_a, i, k, row) : offset(of_a, i, row, k)) *
                 on_cpu::number(b, of_b.type, trans_b ? offset(of_b, i, column, k) : offset(of_b, i, k, column));
        }
        sum *= alpha;
        if (beta != 0) {
          sum += beta * on_cpu::number(d, of_d.type, offset(of_d, i, row, column));
        }
        if (epilogue == CUBLASLT_EPILOGUE_BIAS) {  // a number a row of the column-major result
          sum += on_cpu::number(bias, of_d.type, row);
        }
        on_cpu::set_number(d, of_d.type, offset(of_d, i, row, column), sum);
      }
    }
  }
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusString(cublasStatus_t) { return "an error"; }
std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* matmul, cublasComputeType_t, cudaDataType_t scale) {
  *matmul = reinterpret_cast<cublasLtMatmulDesc_t>(new Matmul{scale, {}});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmul) {
  delete &as<Matmul>(matmul);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmul, cublasLtMatmulDescAttributes_t name,
                                              const void* value, std::size_t bytes) {
  return put(as<Matmul>(matmul).set, name, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* matrix, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t ld) {
  *matrix = reinterpret_cast<cublasLtMatrixLayout_t>(new Matrix{type, rows, columns, ld, {}});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(const cublasLtMatrixLayout_t matrix) {
  delete &as<Matrix>(matrix);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matrix, cublasLtMatrixLayoutAttribute_t name,
                                                const void* value, std::size_t bytes) {
  return put(as<Matrix>(matrix).set, name, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete &as<Preference>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name, const void* value,
                                                    std::size_t bytes) {
  return put(as<Preference>(preference).set, name, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t matmul, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t* result, int* found) {
  *found = fits(as<Matmul>(matmul), as<Matrix>(a), as<Matrix>(b), as<Matrix>(d)) ? 1 : 0;
  *result = {};
  result->workspaceSize = on_cpu::kLibraryWorkspace;
  return *found == 1 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t matmul, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t of_a, const void* b, cublasLtMatrixLayout_t of_b, const void* beta,
                              const void* c, cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t of_d,
                              const cublasLtMatmulAlgo_t*, void* workspace, std::size_t workspace_bytes, cudaStream_t) {
  const Matmul what = as<Matmul>(matmul);
  const Matrix shapes[] = {as<Matrix>(of_a), as<Matrix>(of_b), as<Matrix>(of_d)};
  if (!fits(what, shapes[0], shapes[1], shapes[2]) || c != d) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const double factors[] = {on_cpu::number(alpha, what.scale, 0), on_cpu::number(beta, what.scale, 0)};
  const bool queued = on_cpu::queue_library(workspace, workspace_bytes,
                                            [=, x = shapes[0], y = shapes[1], z = shapes[2], by = factors[0],
                                             of_old = factors[1]] { multiply(what, by, of_old, a, x, b, y, d, z); });
  return queued ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
