// What a row of a layer table computes, by the columns of its kind.
#pragma once

#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// N,C,H,W,K,R,S,… and, if stated, out_h,out_w, which must agree.
Conv read_conv(TableRow& row);

// M,N,K,…
Gemm read_gemm(TableRow& row);

// batch,q_len,kv_len,heads,kv_heads,head_dim,… and phase: prefill or decode, causal unless mask says none.
Attention read_attention(TableRow& row);

// cell,batch,steps,input,hidden,…
Recurrent read_recurrent(TableRow& row);

// kind,rows,columns
StreamLayer read_stream(TableRow& row);

// model,batch,seq_len,gpus,image_size,…, and hidden,layers,heads,… of a transformer.
NetworkRun read_network(TableRow& row);

// kind,gpus,bytes; its dtype is the row's precision.
Collective read_collective(TableRow& row);

}  // namespace rooftile
