#include "rooftile/ingest/workload_json.hpp"

#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

// A network of one input x of the given shape and the given ops.
std::string net(const std::string& ops, const std::string& shape = "[1, 8, 16, 16]") {
  return R"({"schema": "rooftile/workload/1", "name": "net", "inputs": [{"name": "x", "shape": )" + shape +
         R"(}], "ops": [)" + ops + "]}";
}

Workload parsed(const std::string& text, std::optional<std::int64_t> batch_size = {}) {
  auto workload = parse_workload_json(text, "n.json", batch_size);
  if (workload) return *workload;
  ADD_FAILURE() << workload.error().text();
  return {};
}

std::string json_error(const std::string& text, std::optional<std::int64_t> batch_size = {}) {
  const auto workload = parse_workload_json(text, "n.json", batch_size);
  return workload ? "no error" : workload.error().text();
}

const Tensor& tensor(const Workload& workload, const std::string& name) {
  for (const Tensor& candidate : workload.tensors) {
    if (candidate.name == name) return candidate;
  }
  throw std::out_of_range("no tensor " + name);
}

Shape output_shape(const std::string& op, const std::string& shape = "[1, 8, 16, 16]") {
  const Workload workload = parsed(net(op, shape));
  return workload.outputs.empty() ? Shape() : workload.tensors[workload.outputs.front()].shape;
}

TEST(WorkloadJson, ReadsTheCommittedExample) {
  const Workload workload = parsed(read_text_file("examples/tiny.json").value(), 4);
  EXPECT_EQ(workload.name, "tiny");
  EXPECT_EQ(workload.batch_size, 4);
  EXPECT_EQ(tensor(workload, "image").shape, (Shape{4, 3, 32, 32}));
  EXPECT_EQ(tensor(workload, "conv1.weight").shape, (Shape{16, 3, 3, 3}));
  EXPECT_EQ(tensor(workload, "conv1.bias").shape, (Shape{16}));
  EXPECT_EQ(tensor(workload, "depthwise").shape, (Shape{4, 16, 16, 16}));
  EXPECT_EQ(tensor(workload, "bn.variance").shape, (Shape{16}));
  EXPECT_EQ(tensor(workload, "pool1").shape, (Shape{4, 16, 16, 16}));
  EXPECT_EQ(tensor(workload, "joined").shape, (Shape{4, 32, 16, 16}));
  EXPECT_EQ(tensor(workload, "up").shape, (Shape{4, 8, 32, 32}));
  EXPECT_EQ(tensor(workload, "up.weight").shape, (Shape{32, 8, 2, 2}));
  EXPECT_EQ(tensor(workload, "average").shape, (Shape{4, 8, 1, 1}));
  EXPECT_EQ(tensor(workload, "flat").shape, (Shape{4, 8}));
  EXPECT_EQ(tensor(workload, "fc.weight").shape, (Shape{8, 10}));
  EXPECT_EQ(tensor(workload, "prob").shape, (Shape{4, 10}));
  EXPECT_EQ(workload.outputs, workload.ops.back().outputs);
}

// The page that explains the format shows this very file.
TEST(WorkloadJson, TheExampleIsTheDocumentedOne) {
  EXPECT_THAT(read_text_file("docs/formats.md").value(), HasSubstr(read_text_file("examples/tiny.json").value()));
}

// At another batch size it is the same network, or is refused: regions, windows and experts are counted with the batch.
TEST(WorkloadJson, RoundTripsTheZoo) {
  bool large = false;
  for (const ZooEntry& entry : zoo()) {
    const Workload workload = build_shallow(entry, large ? 256 : 1);
    large = !large;
    const std::string text = write_workload_json(workload);
    EXPECT_TRUE(parsed(text) == workload) << entry.name;
    const auto other = parse_workload_json(text, "n.json", 7);
    EXPECT_TRUE(!other || *other == build_shallow(entry, 7)) << entry.name;
  }
}

// Of those of the paper all follows from the ops.
TEST(WorkloadJson, LeavesOutWhatFollows) {
  for (const ZooEntry& entry : delta_networks()) {
    const std::string text = write_workload_json(entry.build(1));
    EXPECT_EQ(text.find("tensors"), std::string::npos) << entry.name;
    EXPECT_EQ(parsed(text, 7), entry.build(7)) << entry.name;
  }
}

TEST(WorkloadJson, IsRefusedAtABatchSizeThatItsRegionsDoNotFollow) {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name != "mixtral_8x7b" && entry.name != "mask_rcnn_resnet50_fpn") continue;
    const auto other = parse_workload_json(write_workload_json(entry.build(1)), "n.json", 7);
    ASSERT_FALSE(other) << entry.name;
    EXPECT_THAT(other.error().text(), HasSubstr("cannot be read at a batch size of 7")) << entry.name;
  }
}

TEST(WorkloadJson, RoundTripsTheExample) {
  const Workload workload = parsed(read_text_file("examples/tiny.json").value());
  EXPECT_EQ(parsed(write_workload_json(workload)), workload);
}

// Weights with names and places of their own, several outputs, other types, skipped operators, a batch size that is
// not a dimension: what an imported model can have and a hand-written one would not.
TEST(WorkloadJson, RoundTripsWhatDoesNotFollow) {
  Workload workload;
  workload.name = "imported";
  workload.batch_size = 12;
  workload.tensors = {{"w", {4, 8, 1, 1}, DType::fp16, true}, {"y", {2, 4, 5, 5}, DType::fp16},
                      {"x", {2, 8, 5, 5}, DType::fp16},       {"unused", {3}, DType::int64, false},
                      {"a", {2, 3, 5, 5}, DType::fp16},       {"b", {2, 1, 5, 5}, DType::fp32},
                      {"n", {2, 3, 5, 5}, DType::fp16},       {"index", {1}, DType::int64, true}};
  Conv conv;
  conv.batch = 2;
  conv.in_channels = 8;
  conv.out_channels = 4;
  conv.axes[1].in = conv.axes[2].in = 5;
  workload.ops = {{"c", conv, {2, 0}, {1}},
                  {"split", Move{.function = "split"}, {1, 7}, {4, 5}},
                  {"bare", Normalize{.function = "layer"}, {4}, {6}}};
  workload.inputs = {2};
  workload.outputs = {6, 5};
  workload.skipped = {{"odd", "LSTM"}};
  ASSERT_TRUE(validate(workload).has_value());
  EXPECT_EQ(parsed(write_workload_json(workload)), workload);

  workload.outputs.clear();
  EXPECT_EQ(parsed(write_workload_json(workload)), workload);
}

// A convolution and a GEMM whose numbers differ from those that their tensors suggest.
TEST(WorkloadJson, RoundTripsUnusualGeometry) {
  Workload workload;
  workload.name = "unusual";
  workload.tensors = {{"x", {30, 10}}, {"y", {300}}, {"z", {300}}};
  Conv conv;
  conv.in_channels = 30;
  conv.out_channels = 30;
  conv.axes[2].in = 10;
  workload.ops = {{"c", conv, {0}, {1}}, {"g", Gemm{.m = 20, .n = 15, .k = 15}, {1}, {2}}};
  workload.inputs = {0};
  workload.outputs = {2};
  workload.batch_size = 30;
  ASSERT_TRUE(validate(workload).has_value());
  EXPECT_EQ(parsed(write_workload_json(workload)), workload);
}

RC_GTEST_PROP(WorkloadJson, RoundTripsRandomConvolutions, ()) {
  const auto small = [](int least, int most) { return *rc::gen::inRange<std::int64_t>(least, most); };
  const std::size_t rank = *rc::gen::inRange<std::size_t>(1, 4);
  const std::int64_t groups = small(1, 4);
  Conv conv;
  conv.batch = small(1, 5);
  conv.groups = groups;
  conv.in_channels = groups * small(1, 4);
  conv.out_channels = groups * small(1, 4);
  conv.transposed = *rc::gen::arbitrary<bool>();
  conv.bias = *rc::gen::arbitrary<bool>();
  Shape input = {conv.batch, conv.in_channels};
  for (std::size_t i = 3 - rank; i < 3; ++i) {
    ConvAxis& axis = conv.axes[i];
    axis = {.in = small(8, 20),
            .filter = small(1, 4),
            .stride = small(1, 4),
            .dilation = small(1, 3),
            .pad_begin = small(0, 3),
            .pad_end = small(0, 3)};
    if (conv.transposed) axis.output_padding = small(0, static_cast<int>(std::max(axis.stride, axis.dilation)));
    input.push_back(axis.in);
  }
  const auto list = [&](std::int64_t ConvAxis::*member) {
    std::string text;
    for (std::size_t i = 3 - rank; i < 3; ++i)
      text += (text.empty() ? "[" : ", ") + std::to_string(conv.axes[i].*member);
    return text + "]";
  };
  std::string shape;
  for (const std::int64_t dimension : input) shape += (shape.empty() ? "[" : ", ") + std::to_string(dimension);
  const std::string op = R"({"name": "c", "op": "conv", "out_channels": )" + std::to_string(conv.out_channels) +
                         R"(, "groups": )" + std::to_string(groups) + R"(, "transposed": )" +
                         (conv.transposed ? "true" : "false") + R"(, "bias": )" + (conv.bias ? "true" : "false") +
                         R"(, "filter": )" + list(&ConvAxis::filter) + R"(, "stride": )" + list(&ConvAxis::stride) +
                         R"(, "dilation": )" + list(&ConvAxis::dilation) + R"(, "pad": )" + list(&ConvAxis::pad_begin) +
                         R"(, "pad_end": )" + list(&ConvAxis::pad_end) + R"(, "output_padding": )" +
                         list(&ConvAxis::output_padding) + "}";
  const Workload workload = parsed(net(op, shape + "]"));
  RC_ASSERT(std::get<Conv>(workload.ops.at(0).kind) == conv);
  RC_ASSERT(parsed(write_workload_json(workload)) == workload);
}

TEST(WorkloadJson, ShapesFollowFromAttributes) {
  EXPECT_EQ(output_shape(R"({"name": "p", "op": "pool", "filter": 2})"), (Shape{1, 8, 8, 8}));  // stride: the filter
  EXPECT_EQ(output_shape(R"({"name": "p", "op": "pool", "filter": 3, "stride": 2})"), (Shape{1, 8, 7, 7}));
  EXPECT_EQ(output_shape(R"({"name": "p", "op": "pool", "filter": 3, "stride": 2, "ceil_mode": true})"),
            (Shape{1, 8, 8, 8}));
  EXPECT_EQ(output_shape(R"({"name": "p", "op": "pool", "window": 4, "shape": [0, 0, 5, 5]})"), (Shape{1, 8, 5, 5}));
  EXPECT_EQ(output_shape(R"({"name": "c", "op": "conv", "out_channels": 2, "filter": 3})", "[1, 8, 16]"),
            (Shape{1, 2, 14}));
  EXPECT_EQ(output_shape(R"({"name": "c", "op": "conv", "out_channels": 2, "filter": [1, 2, 3]})", "[1, 8, 4, 5, 6]"),
            (Shape{1, 2, 4, 4, 4}));
  EXPECT_EQ(output_shape(R"({"name": "c", "op": "conv", "out_channels": 2, "filter": 3, "pad": 1, "pad_end": 0})"),
            (Shape{1, 2, 15, 15}));
  EXPECT_EQ(output_shape(R"({"name": "v", "op": "view", "function": "reshape", "shape": [0, 4, -1]})"),
            (Shape{1, 4, 512}));
  EXPECT_EQ(output_shape(R"({"name": "g", "op": "gemm", "n": 5})", "[2, 3, 4]"), (Shape{2, 3, 5}));
  EXPECT_EQ(output_shape(R"({"name": "g", "op": "gemm", "inputs": ["x", "x"], "trans_b": true})", "[2, 3, 4]"),
            (Shape{2, 3, 3}));
  EXPECT_EQ(output_shape(R"({"name": "r", "op": "reduce", "function": "mean", "shape": [0, 0]})"), (Shape{1, 8}));
  EXPECT_EQ(output_shape(R"({"name": "c", "op": "move", "function": "concat", "inputs": ["x", "x"], "axis": -1})"),
            (Shape{1, 8, 16, 32}));
}

TEST(WorkloadJson, WindowsAndProductsFollowToo) {
  const Workload pool = parsed(net(R"({"name": "p", "op": "pool", "filter": [2, 3]})"));
  EXPECT_EQ(std::get<Pool>(pool.ops[0].kind).window, 6);
  const Workload global = parsed(net(R"({"name": "p", "op": "pool", "function": "average", "global": true})"));
  EXPECT_EQ(std::get<Pool>(global.ops[0].kind), (Pool{.function = "average", .window = 256}));
  const Workload gemm = parsed(net(R"({"name": "g", "op": "gemm", "n": 5})", "[2, 3, 4]"));
  EXPECT_EQ(std::get<Gemm>(gemm.ops[0].kind), (Gemm{.m = 6, .n = 5, .k = 4}));
}

TEST(WorkloadJson, WeightsAreImpliedUnlessListed) {
  const std::string conv = R"("name": "c", "op": "conv", "out_channels": 2, "filter": 1)";
  EXPECT_EQ(parsed(net("{" + conv + "}")).ops[0].inputs.size(), 2u);
  EXPECT_EQ(parsed(net("{" + conv + R"(, "bias": true})")).ops[0].inputs.size(), 3u);
  EXPECT_EQ(parsed(net("{" + conv + R"(, "weights": false})")).ops[0].inputs.size(), 1u);
  const std::string shared = R"({"schema": "rooftile/workload/1", "name": "n", "tensors": [{"name": "w",
    "shape": [2, 8, 1, 1]}], "inputs": [{"name": "x", "shape": [1, 8, 4, 4]}], "ops": [{)" +
                             conv + R"(, "inputs": ["x", "w"]}]})";
  const Workload workload = parsed(shared);
  EXPECT_EQ(workload.tensors.size(), 3u);
  EXPECT_TRUE(tensor(workload, "w").constant);
}

TEST(WorkloadJson, ErrorsNameThePlace) {
  const std::string conv = R"({"name": "c", "op": "conv", "out_channels": 2, "filter": 1)";
  EXPECT_EQ(json_error(net(conv + R"(, "stride": 0})")), "n.json: ops[0].stride: 0 is not between 1 and 2147483648");
  EXPECT_EQ(json_error(net(conv + R"(, "pad": [1, -1]})")),
            "n.json: ops[0].pad[1]: -1 is not between 0 and 2147483648");
  EXPECT_EQ(json_error(net(conv + R"(, "stride": 99999999999})")),
            "n.json: ops[0].stride: 99999999999 is not between 1 and 2147483648");
  EXPECT_EQ(json_error(net(conv + R"(, "stride": 18446744073709551615})")),
            "n.json: ops[0].stride: 18446744073709551615 is not between 1 and 2147483648");
  EXPECT_EQ(json_error(net(conv + R"(, "stride": 1e30})")),
            "n.json: ops[0].stride: a whole number is needed, not 1e+30");
  EXPECT_EQ(json_error(net(conv + R"(, "stride": "2"})")),
            "n.json: ops[0].stride: a whole number is needed, not a string");
  EXPECT_EQ(json_error(net(conv + R"(, "stride": [1, 2, 3]})")), "n.json: ops[0].stride: 3 numbers for 2 spatial axes");
  EXPECT_EQ(json_error(net(conv + R"(, "bias": 1})")), "n.json: ops[0].bias: true or false is needed, not 1");
  EXPECT_EQ(json_error(net(conv + R"(, "strid": 1})")), "n.json: ops[0].strid: unknown key; did you mean 'stride'?");
  EXPECT_EQ(json_error(net(conv + R"(, "groups": 3})")),
            "n.json: ops[0]: convolution with 3 groups cannot split 8 input and 2 output channels");
  EXPECT_EQ(json_error(net(R"({"name": "c", "op": "conv", "out_channels": 2})")),
            "n.json: ops[0]: 'filter' is missing");
  EXPECT_EQ(json_error(net(R"({"name": "c", "op": "conv", "filter": 2})")),
            "n.json: ops[0]: 'out_channels' is missing");
  EXPECT_THAT(json_error(net(R"({"name": "c", "op": "conv", "out_channels": 2, "filter": 99})")),
              HasSubstr("n.json: ops[0]: convolution height: a filter that spans 99 does not fit"));
  EXPECT_EQ(json_error(net(R"({"op": "conv"})")), "n.json: ops[0]: 'name' is missing");
  EXPECT_THAT(json_error(net(R"({"name": "c", "op": "covn"})")),
              HasSubstr("n.json: ops[0].op: 'covn' is not one of conv,"));
  EXPECT_THAT(json_error(net(R"({"name": "c", "op": "covn"})")), HasSubstr("did you mean 'conv'?"));
  EXPECT_EQ(json_error(net(R"({"name": "e", "op": "elementwise"})")), "n.json: ops[0]: 'function' is missing");
  EXPECT_EQ(json_error(net(R"({"name": "p", "op": "pool", "function": "avrage", "filter": 2})")),
            "n.json: ops[0].function: 'avrage' is not one of max, average, lp; did you mean 'average'?");
  EXPECT_EQ(json_error(net("7")), "n.json: ops[0]: an object is needed, not 7");
}

TEST(WorkloadJson, ErrorsOfShapes) {
  EXPECT_EQ(json_error(net(R"({"name": "p", "op": "pool"})")),
            "n.json: ops[0]: the result of a pool op needs a 'shape'");
  EXPECT_EQ(json_error(net(R"({"name": "p", "op": "pool", "filter": 2, "global": true})")),
            "n.json: ops[0].global: a global pool has no 'filter'");
  EXPECT_EQ(json_error(net(R"({"name": "p", "op": "pool", "filter": 2, "shape": [1]})")),
            "n.json: ops[0].shape: the other attributes give the shape already");
  EXPECT_THAT(json_error(net(R"({"name": "p", "op": "pool", "filter": 17})")), HasSubstr("does not fit into 16"));
  EXPECT_EQ(json_error(net(R"({"name": "p", "op": "pool", "filter": 1})", "[3, 4]")),
            "n.json: ops[0]: an input of N x C and one to three spatial dimensions is needed, not 3x4");
  EXPECT_EQ(json_error(net(R"({"name": "v", "op": "view", "function": "f", "shape": [-1, -1]})")),
            "n.json: ops[0]: a shape can have one -1 only");
  EXPECT_EQ(json_error(net(R"({"name": "v", "op": "view", "function": "f", "shape": [3, -1]})")),
            "n.json: ops[0]: 2048 elements do not fill the -1 of shape [3, -1]");
  EXPECT_EQ(json_error(net(R"({"name": "v", "op": "view", "function": "f", "shape": [1, 8, 16, 16, 0]})")),
            "n.json: ops[0]: 0 at place 4 has no dimension of 1x8x16x16 to copy");
  EXPECT_EQ(json_error(net(R"({"name": "v", "op": "view", "function": "f", "shape": [5]})")),
            "n.json: ops[0]: a view of 1x8x16x16 cannot be 5");
  EXPECT_EQ(json_error(net(R"({"name": "v", "op": "view", "function": "f", "shape": [-2]})")),
            "n.json: ops[0].shape[0]: -2 is not between -1 and 2147483648");
  EXPECT_EQ(json_error(net(R"({"name": "m", "op": "move", "function": "slice", "axis": 1})")),
            "n.json: ops[0].axis: only a concat has an axis; give the 'shape'");
  EXPECT_EQ(json_error(net(R"({"name": "m", "op": "move", "function": "concat", "axis": 4})")),
            "n.json: ops[0]: axis 4 is not one of 1x8x16x16");
  EXPECT_EQ(json_error(net(R"({"name": "g", "op": "gemm"})")),
            "n.json: ops[0]: 'n', the number of outputs, is missing");
  EXPECT_EQ(json_error(net(R"({"name": "g", "op": "gemm", "n": 3, "inputs": ["x", "x"]})")),
            "n.json: ops[0].n: 3 does not fit the inputs, 16 does");
  EXPECT_EQ(json_error(net(R"({"name": "g", "op": "gemm", "inputs": ["x", "x"]})", "[2, 3]")),
            "n.json: ops[0]: matrices 2x3 and 2x3 do not multiply");
  EXPECT_EQ(json_error(net(R"({"name": "e", "op": "elementwise", "function": "add", "inputs": ["x", "other"]})")),
            "n.json: ops[0].inputs[1]: no tensor is called 'other'");
  EXPECT_THAT(json_error(net("", "[0, 1]")), HasSubstr("n.json: inputs[0].shape[0]: 0 is not between 1 and"));
  EXPECT_THAT(json_error(net("", "[2147483648, 2147483648]")), HasSubstr("elements are more than"));
}

TEST(WorkloadJson, ErrorsOfNames) {
  const std::string relu = R"({"name": "relu", "op": "elementwise", "function": "relu"})";
  EXPECT_EQ(json_error(net(relu + ", " + relu)), "n.json: ops[1]: two tensors are called 'relu'");
  EXPECT_EQ(json_error(net(R"({"name": "x", "op": "softmax"})")), "n.json: ops[0]: two tensors are called 'x'");
  EXPECT_EQ(json_error(net(R"({"name": "", "op": "softmax"})")), "n.json: ops[0]: a tensor needs a name");
  EXPECT_EQ(json_error(net(relu + R"(, {"name": "s", "op": "softmax", "inputs": ["reul"]})")),
            "n.json: ops[1].inputs[0]: no tensor is called 'reul'; did you mean 'relu'?");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "inputs": [], "ops": [], "outputs": ["y"]})"),
            "n.json: outputs[0]: no tensor is called 'y'");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "tensors": ["y"], "inputs": [], "ops": []})"),
            "n.json: no op produces 'y'");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "tensors": [{"name": "w"}], "inputs": [],
                      "ops": []})"),
            "n.json: tensors[0]: tensor 'w' needs a shape");
  EXPECT_THAT(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "inputs": [{"name": "x", "shape": [1],
                        "dtype": "fp31"}], "ops": []})"),
              HasSubstr("n.json: inputs[0].dtype: 'fp31' is not one of"));
}

TEST(WorkloadJson, ErrorsOfTheDocument) {
  EXPECT_EQ(json_error(""), "n.json: the file is empty");
  EXPECT_EQ(json_error(" \n"), "n.json: the file is empty");
  EXPECT_EQ(json_error("[]"), "n.json: an object is needed, not a list");
  EXPECT_EQ(json_error("{}"), "n.json: 'schema' is missing");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/2"})"),
            "n.json: schema: 'rooftile/workload/2' is not 'rooftile/workload/1'");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "inputs": []})"), "n.json: 'ops' is missing");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "ops": []})"), "n.json: 'inputs' is missing");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "ops": {}, "inputs": []})"),
            "n.json: ops: a list is needed, not an object");
  EXPECT_EQ(json_error(R"({"schema": "rooftile/workload/1", "name": "n", "ops": [], "inputs": [], "op": 1})"),
            "n.json: op: unknown key; did you mean 'ops'?");
  EXPECT_EQ(json_error(R"({"a": 1, "a": 2})"), "n.json:1:12: duplicate key 'a'");
  EXPECT_THAT(json_error("{\n  \"schema\": tru\n}"), HasSubstr("n.json:2:"));
  EXPECT_THAT(json_error("{\"schema\": NaN}"), HasSubstr("n.json:1:"));
  EXPECT_THAT(json_error("{} // done"), HasSubstr("n.json:1:"));
  EXPECT_THAT(json_error("{} {}"), HasSubstr("not JSON"));
  EXPECT_THAT(json_error("{\"schema\": 1e999}"), HasSubstr("n.json:1:17: not JSON: number overflow"));
  EXPECT_THAT(json_error("{\"schema\": \"\xFF\"}"), HasSubstr("not JSON"));
  EXPECT_EQ(json_error(net("{\"name\": " + std::string(100000, '[') + std::string(100000, ']') + "}")),
            "n.json:1:149: nested too deeply");
  EXPECT_THAT(json_error(std::string(1000000, '[')), HasSubstr("nested too deeply"));
}

TEST(WorkloadJson, MessagesAreOneShortLine) {
  const std::string message = json_error(net("{\"name\": \"a\", \"op\": \"x\\ny" + std::string(100000, 'z') + "\"}"));
  EXPECT_LT(message.size(), 600u);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(WorkloadJson, BatchSizes) {
  EXPECT_EQ(parsed(net("", "[6, 2]")).batch_size, 6);
  EXPECT_EQ(parsed(net("", "[6, 2]"), 3).batch_size, 3);
  EXPECT_EQ(parsed(net("", "[]"), 3).batch_size, 3);
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX}) {
    EXPECT_THAT(json_error(net(""), batch), HasSubstr("batch size"));
  }
  // A shape that cannot follow the batch is an error, not a wrong answer.
  EXPECT_EQ(json_error(net(R"({"name": "v", "op": "view", "function": "f", "shape": [1, 2048]})"), 2),
            "n.json: ops[0]: a view of 2x8x16x16 cannot be 1x2048");
}

TEST(WorkloadJson, ErrorsQuoteLittleOfAHugeFile) {
  const std::string number = json_error("{\n\"a\": 1" + std::string(1000000, '0') + "}");
  EXPECT_THAT(number, testing::StartsWith("n.json:2:1000007: not JSON: number overflow parsing '1000"));
  EXPECT_LT(number.size(), 300u);
  const std::string key = std::string(2000000, 'k');
  const std::string twice = json_error("{\"" + key + "\": 1,\n\"" + key + "\": 2}");
  EXPECT_THAT(twice, testing::StartsWith("n.json:2:2000002: duplicate key 'kkk"));
  EXPECT_LT(twice.size(), 300u);
  EXPECT_LT(json_error("{\"" + key + "\": 1}").size(), 1100u);
  EXPECT_LT(json_error(net(R"({"op": ")" + key + R"("})")).size(), 1100u);
  EXPECT_LT(json_error(net(R"({"op": "relu", "name": "r", "inputs": [")" + key + R"("]})")).size(), 1100u);
}

TEST(WorkloadJson, NamesHoldNoControlCharacters) {
  EXPECT_EQ(json_error(net(R"({"op": "relu", "name": "a\nb\u001b[31m"})")),
            "n.json: ops[0].name: 'a?b?[31m' contains a control character");
  EXPECT_EQ(json_error(net(R"({"op": "relu", "name": "a\u009b"})")),
            "n.json: ops[0].name: 'a?' contains a control character");
  EXPECT_THAT(json_error(R"({"schema": "rooftile/workload/1", "name": "\t"})"),
              HasSubstr("name: '?' contains a control character"));
}

}  // namespace
}  // namespace rooftile
