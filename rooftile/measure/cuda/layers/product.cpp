#include "rooftile/measure/cuda/layers/product.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "rooftile/measure/cuda/check.hpp"

namespace rooftile::measure {
namespace {

// NVIDIA asks for at least 32 MiB on Hopper (cuBLAS documentation, "cublasSetWorkspace").
constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr std::uintptr_t kAlignment = 256;  // of all operands

struct Types {
  cudaDataType_t operand = CUDA_R_32F;
  cudaDataType_t result = CUDA_R_32F;
  cudaDataType_t scale = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

Outcome<Types> types_of(DType precision) {
  switch (precision) {
    case DType::fp32:
      return Types{};
    case DType::tf32:
      return Types{.compute = CUBLAS_COMPUTE_32F_FAST_TF32};
    case DType::fp16:
      return Types{.operand = CUDA_R_16F, .result = CUDA_R_16F};
    case DType::bf16:
      return Types{.operand = CUDA_R_16BF, .result = CUDA_R_16BF};
    case DType::fp8:
      return Types{.operand = CUDA_R_8F_E4M3, .result = CUDA_R_16BF};
    case DType::int8:
      return Types{.operand = CUDA_R_8I, .result = CUDA_R_32I, .scale = CUDA_R_32I, .compute = CUBLAS_COMPUTE_32I};
    default:
      return unsupported("products run in fp32, tf32, fp16, bf16, fp8 or int8, not " + std::string(name_of(precision)));
  }
}

// A row-major matrix of rows x columns is a column-major one of columns x rows.
Outcome<LtLayout> layout_of(cudaDataType_t type, std::int64_t rows, std::int64_t columns, std::int64_t batch) {
  cublasLtMatrixLayout_t raw = nullptr;
  const auto made = check(cublasLtMatrixLayoutCreate(&raw, type, static_cast<std::uint64_t>(columns),
                                                     static_cast<std::uint64_t>(rows), columns),
                          "describing a matrix");
  if (!made) {
    return tl::unexpected(made.error());
  }
  LtLayout layout(raw);
  const auto count = static_cast<std::int32_t>(batch);
  const std::int64_t stride = rows * columns;
  for (const cublasStatus_t status :
       {cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
        cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof(stride))}) {
    if (auto done = check(status, "describing a batch"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return layout;
}

Outcome<LtMatmul> describe(const Gemm& gemm, const Types& types) {
  cublasLtMatmulDesc_t raw = nullptr;
  if (auto done = check(cublasLtMatmulDescCreate(&raw, types.compute, types.scale), "describing a product"); !done) {
    return tl::unexpected(done.error());
  }
  LtMatmul matmul(raw);
  // Column-major, the product is C^T = op(B)^T op(A)^T: B comes first, and memory already holds the transposes.
  const cublasOperation_t first = gemm.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = gemm.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasLtEpilogue_t epilogue = gemm.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  for (const cublasStatus_t status :
       {cublasLtMatmulDescSetAttribute(raw, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first)),
        cublasLtMatmulDescSetAttribute(raw, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second)),
        cublasLtMatmulDescSetAttribute(raw, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue))}) {
    if (auto done = check(status, "describing a product"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return matmul;
}

std::string hint(const Gemm& gemm, DType precision) {
  const bool tn = !gemm.trans_a && gemm.trans_b;
  return (precision == DType::fp8 || precision == DType::int8) && !tn
             ? "; 8-bit products want transA N and transB T on most GPUs"
             : "";
}

}  // namespace

CublasLtHandle::~CublasLtHandle() {
  if (handle != nullptr) {
    static_cast<void>(cublasLtDestroy(handle));
  }
}

Outcome<void> check(cublasStatus_t status, std::string_view doing) {
  if (status == CUBLAS_STATUS_SUCCESS) {
    return {};
  }
  // A failed launch: the runtime knows whether the context survived it.
  if (auto done = check(cudaGetLastError(), doing); !done) {
    return done;
  }
  const Refusal why = status == CUBLAS_STATUS_ALLOC_FAILED ? Refusal::out_of_memory : Refusal::unsupported;
  return tl::unexpected(Refused{why, std::string(doing) + ": " + cublasLtGetStatusString(status)});
}

Outcome<std::shared_ptr<CublasLtHandle>> open_cublaslt() {
  auto library = std::make_shared<CublasLtHandle>();
  return check(cublasLtCreate(&library->handle), "opening cuBLASLt").map([&] { return library; });
}

DType result_type(DType precision) {
  switch (precision) {
    case DType::fp8:
      return DType::bf16;
    case DType::int8:
      return DType::int32;
    default:
      return precision;
  }
}

Outcome<Product> Product::make(const Gemm& gemm, DType precision, double alpha, const LayerContext& context) {
  if (!context.cublaslt) {
    return tl::unexpected(context.cublaslt.error());
  }
  if (auto able = check_precision(precision, context); !able) {
    return tl::unexpected(able.error());
  }
  if (gemm.batch > std::numeric_limits<std::int32_t>::max()) {
    return unsupported("cuBLASLt takes batches of fewer than 2^31 products");
  }
  const auto types = types_of(precision);
  if (!types) {
    return tl::unexpected(types.error());
  }
  if (types->scale == CUDA_R_32I && gemm.bias) {
    return unsupported("int8 products have no bias");
  }
  auto matmul = describe(gemm, *types);
  auto a = layout_of(types->operand, gemm.trans_a ? gemm.k : gemm.m, gemm.trans_a ? gemm.m : gemm.k, gemm.batch);
  auto b = layout_of(types->operand, gemm.trans_b ? gemm.n : gemm.k, gemm.trans_b ? gemm.k : gemm.n, gemm.batch);
  auto c = layout_of(types->result, gemm.m, gemm.n, gemm.batch);
  cublasLtMatmulPreference_t raw = nullptr;
  auto preferred = check(cublasLtMatmulPreferenceCreate(&raw), "describing what is wanted");
  LtPreference preference(raw);
  if (preferred) {
    const std::size_t limit = std::min(kWorkspace, context.workspace_limit);
    preferred = check(
        cublasLtMatmulPreferenceSetAttribute(raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit, sizeof(limit)),
        "limiting the workspace");
  }
  for (const auto* made : {matmul ? nullptr : &matmul.error(), a ? nullptr : &a.error(), b ? nullptr : &b.error(),
                           c ? nullptr : &c.error(), preferred ? nullptr : &preferred.error()}) {
    if (made != nullptr) {
      return tl::unexpected(*made);
    }
  }

  Product product;
  product.library_ = *context.cublaslt;
  product.matmul_ = std::move(*matmul);
  product.a_ = std::move(*a);
  product.b_ = std::move(*b);
  product.c_ = std::move(*c);
  product.integer_ = types->scale == CUDA_R_32I;
  product.bias_ = gemm.bias;
  product.alpha_ = static_cast<float>(alpha);

  if (product.bias_) {
    // The heuristic looks at the pointer's alignment, so it gets one before there is a bias.
    if (auto done = product.set_bias(reinterpret_cast<const void*>(kAlignment)); !done) {
      return tl::unexpected(done.error());
    }
  }
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(product.library_->handle, product.matmul_.get(), product.b_.get(),
                                     product.a_.get(), product.c_.get(), product.c_.get(), raw, 1, &best, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED ||
      (status == CUBLAS_STATUS_SUCCESS && (found == 0 || best.state != CUBLAS_STATUS_SUCCESS))) {
    return unsupported("cuBLASLt has no kernel for this product in " + std::string(name_of(precision)) +
                       hint(gemm, precision));
  }
  if (auto done = check(status, "choosing a kernel" + hint(gemm, precision)); !done) {
    return tl::unexpected(done.error());
  }
  product.algorithm_ = best.algo;
  product.workspace_bytes_ = best.workspaceSize;
  return product;
}

Outcome<void> Product::set_bias(const void* bias) {
  return check(cublasLtMatmulDescSetAttribute(matmul_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias)),
               "setting the bias");
}

Outcome<void> Product::run(const void* a, const void* b, const void* bias, void* c, void* workspace,
                           cudaStream_t stream) {
  if (bias_) {
    if (auto done = set_bias(bias); !done) {
      return done;
    }
  }
  const auto alpha_integer = static_cast<std::int32_t>(alpha_);
  const std::int32_t zero_integer = 0;
  const float zero = 0;
  const void* alpha = integer_ ? static_cast<const void*>(&alpha_integer) : &alpha_;
  const void* beta = integer_ ? static_cast<const void*>(&zero_integer) : &zero;
  return check(cublasLtMatmul(library_->handle, matmul_.get(), alpha, b, b_.get(), a, a_.get(), beta, c, c_.get(), c,
                              c_.get(), &algorithm_, workspace, workspace_bytes_, stream),
               "a product by cuBLASLt");
}

}  // namespace rooftile::measure
