#include <string>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/learn/constants/fit_rows.hpp"
#include "rooftile/predict/refined.hpp"

namespace rooftile {
namespace {

MeasuredTable rnn_table() {
  const std::string csv =
      "op,gpu,cell,precision,pass,batch,steps,input,hidden,layers,directions,input_projection,time_us\n"
      "rnn,v100-sxm2-16gb,lstm,fp16,fwd,32,25,512,512,1,1,0,805\n"
      "rnn,v100-sxm2-16gb,gru,fp32,bwd_data,32,50,256,512,2,1,1,3000\n"
      "rnn,v100-sxm2-16gb,vanilla,fp32,bwd_weight,64,50,256,512,1,2,1,300\n";
  return {"rnn.csv", *parse_layer_table(csv, "rnn.csv", {.measurements = true})};
}

TEST(RecurrentRows, AFitTimesARowAsAPredictionDoes) {
  const MeasuredTable table = rnn_table();
  const Gpu gpu = *find_gpu("v100-sxm2-16gb");
  const auto groups = fit_rows({table}, {});
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 1U);
  EXPECT_EQ(groups->front().family, KernelFamily::recurrent);
  const std::vector<LayerRow>& rows = table.table().rows;
  ASSERT_EQ(groups->front().rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PredictOptions options{.pass = passes_of(rows[i].phase).front(), .precision = rows[i].precision};
    const auto model = refined_model(RefinedOp::recurrent, gpu, options);
    ASSERT_TRUE(model);
    const Seconds predicted = estimate(std::get<Recurrent>(rows[i].op), gpu, options).time - model->overhead;
    EXPECT_NEAR(groups->front().rows[i].kernels(model->rates) / predicted, 1, 1e-12);
  }
}

}  // namespace
}  // namespace rooftile
