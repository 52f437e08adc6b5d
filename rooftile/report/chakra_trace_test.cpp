#include "rooftile/report/chakra_trace.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/parallel/parallel_step.hpp"
#include "rooftile/profile/profile.hpp"
#include "rooftile/report/proto_message.hpp"

namespace rooftile {
namespace {

namespace pb = google::protobuf;

using Field = pb::FieldDescriptorProto;

void add_field(pb::DescriptorProto& message, const char* name, int number, Field::Type type, bool repeated = false) {
  Field& field = *message.add_field();
  field.set_name(name);
  field.set_number(number);
  field.set_type(type);
  field.set_label(repeated ? Field::LABEL_REPEATED : Field::LABEL_OPTIONAL);
  if (type == Field::TYPE_MESSAGE) field.set_type_name("AttributeProto");
}

// What of Chakra's et_def.proto is written.
pb::FileDescriptorProto schema() {
  pb::FileDescriptorProto file;
  file.set_name("et_def.proto");
  file.set_syntax("proto3");
  pb::DescriptorProto& attribute = *file.add_message_type();
  attribute.set_name("AttributeProto");
  add_field(attribute, "name", 1, Field::TYPE_STRING);
  attribute.add_oneof_decl()->set_name("value");
  for (const auto& [name, number, type] :
       {std::tuple{"int32_val", 7, Field::TYPE_INT32}, std::tuple{"int64_val", 9, Field::TYPE_INT64},
        std::tuple{"uint64_val", 13, Field::TYPE_UINT64}, std::tuple{"bool_val", 27, Field::TYPE_BOOL},
        std::tuple{"string_val", 29, Field::TYPE_STRING}}) {
    add_field(attribute, name, number, type);
    attribute.mutable_field(attribute.field_size() - 1)->set_oneof_index(0);
  }
  pb::DescriptorProto& head = *file.add_message_type();
  head.set_name("GlobalMetadata");
  add_field(head, "version", 1, Field::TYPE_STRING);
  add_field(head, "attr", 2, Field::TYPE_MESSAGE, true);
  pb::DescriptorProto& node = *file.add_message_type();
  node.set_name("Node");
  add_field(node, "id", 1, Field::TYPE_UINT64);
  add_field(node, "name", 2, Field::TYPE_STRING);
  add_field(node, "type", 3, Field::TYPE_INT32);
  add_field(node, "ctrl_deps", 4, Field::TYPE_UINT64, true);
  add_field(node, "data_deps", 5, Field::TYPE_UINT64, true);
  add_field(node, "start_time_micros", 6, Field::TYPE_UINT64);
  add_field(node, "duration_micros", 7, Field::TYPE_UINT64);
  add_field(node, "attr", 10, Field::TYPE_MESSAGE, true);
  return file;
}

struct ReadNode {
  int type = 0;
  std::string name, group;
  std::vector<std::uint64_t> after;
  double time = 0;  // us
  std::map<std::string, std::uint64_t> values;
};

// Reads a trace as protocol buffers' own library does.
class Reader {
 public:
  std::vector<ReadNode> read(const std::string& text) {
    pb::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<int>(text.size()));
    EXPECT_EQ(string_of(*next(stream, "GlobalMetadata"), "version"), "0.0.4");
    std::vector<ReadNode> nodes;
    while (static_cast<std::size_t>(stream.CurrentPosition()) < text.size()) {
      nodes.push_back(node_of(*next(stream, "Node"), nodes.size()));
    }
    return nodes;
  }

 private:
  std::unique_ptr<pb::Message> next(pb::io::CodedInputStream& stream, const std::string& name) {
    std::unique_ptr<pb::Message> message(factory_.GetPrototype(schema_->FindMessageTypeByName(name))->New());
    std::uint32_t size = 0;
    EXPECT_TRUE(stream.ReadVarint32(&size));
    const auto limit = stream.PushLimit(static_cast<int>(size));
    EXPECT_TRUE(message->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage());
    stream.PopLimit(limit);
    EXPECT_TRUE(message->GetReflection()->GetUnknownFields(*message).empty());
    return message;
  }

  static const pb::FieldDescriptor* field(const pb::Message& of, const char* name) {
    return of.GetDescriptor()->FindFieldByName(name);
  }
  static std::string string_of(const pb::Message& of, const char* name) {
    return of.GetReflection()->GetString(of, field(of, name));
  }
  static std::uint64_t number_of(const pb::Message& of, const char* name) {
    return of.GetReflection()->GetUInt64(of, field(of, name));
  }

  static ReadNode node_of(const pb::Message& from, std::size_t number) {
    ReadNode node;
    const pb::Reflection& values = *from.GetReflection();
    EXPECT_EQ(number_of(from, "id"), number);
    node.name = string_of(from, "name");
    node.type = values.GetInt32(from, field(from, "type"));
    node.time = static_cast<double>(number_of(from, "duration_micros"));
    const auto* after = field(from, "data_deps");
    for (int i = 0; i < values.FieldSize(from, after); ++i) {
      node.after.push_back(values.GetRepeatedUInt64(from, after, i));
      EXPECT_LT(node.after.back(), number) << "a node waits for one that comes before it";
    }
    const auto* attributes = field(from, "attr");
    for (int i = 0; i < values.FieldSize(from, attributes); ++i)
      add(values.GetRepeatedMessage(from, attributes, i), node);
    return node;
  }

  // The type of each attribute's value is the one that Chakra's reader asks for.
  static void add(const pb::Message& attribute, ReadNode& node) {
    const std::map<std::string, const char*> types = {
        {"is_cpu_op", "bool_val"},  {"num_ops", "int64_val"},   {"tensor_size", "uint64_val"},
        {"comm_type", "int64_val"}, {"comm_size", "int64_val"}, {"pg_name", "string_val"},
        {"comm_src", "int32_val"},  {"comm_dst", "int32_val"},  {"comm_tag", "int32_val"}};
    const std::string name = string_of(attribute, "name");
    const pb::Reflection& values = *attribute.GetReflection();
    const auto* set = values.GetOneofFieldDescriptor(attribute, attribute.GetDescriptor()->FindOneofByName("value"));
    ASSERT_NE(set, nullptr) << name;
    ASSERT_EQ(set->name(), types.at(name)) << name;
    switch (set->cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_STRING:
        node.group = values.GetString(attribute, set);
        break;
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        EXPECT_FALSE(values.GetBool(attribute, set));
        break;
      case pb::FieldDescriptor::CPPTYPE_INT32:
        node.values[name] = static_cast<std::uint64_t>(values.GetInt32(attribute, set));
        break;
      case pb::FieldDescriptor::CPPTYPE_INT64:
        node.values[name] = static_cast<std::uint64_t>(values.GetInt64(attribute, set));
        break;
      default:
        node.values[name] = values.GetUInt64(attribute, set);
    }
  }

  pb::DescriptorPool pool_;
  const pb::FileDescriptor* schema_ = pool_.BuildFile(schema());
  pb::DynamicMessageFactory factory_;
};

constexpr int kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7;

// All GPUs at once, as a simulator would: a collective starts when its whole group has come to it, a receive ends with
// its send. Returns the end of the last, in seconds.
double replayed(const std::vector<std::vector<ReadNode>>& ranks, const nlohmann::json& groups) {
  std::vector<std::vector<double>> ends(ranks.size());
  std::vector<std::size_t> next(ranks.size());
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, double> sent;  // by source, destination, tag
  struct Meeting {
    std::size_t came = 0;
    double ready = 0;
    std::vector<std::pair<std::size_t, std::size_t>> nodes;
  };
  std::map<std::pair<std::string, std::size_t>, Meeting> meetings;
  std::map<std::pair<std::size_t, std::string>, std::size_t> met;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ends[rank].resize(ranks[rank].size(), -1);
  double last = 0;
  const auto ready = [&](std::size_t rank, const ReadNode& node) {
    double at = 0;
    for (const std::uint64_t other : node.after) {
      if (ends[rank][other] < 0) return -1.0;
      at = std::max(at, ends[rank][other]);
    }
    return at;
  };
  // Nodes of a GPU are looked at in order, past those that wait for a meeting.
  std::vector<std::vector<bool>> begun(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) begun[rank].resize(ranks[rank].size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
        const ReadNode& node = ranks[rank][i];
        const double at = begun[rank][i] ? -1 : ready(rank, node);
        if (at < 0) continue;
        double end = at + node.time * 1e-6;
        const auto value = [&](const char* name) { return node.values.count(name) ? node.values.at(name) : 0; };
        const auto letter = std::tuple(value("comm_src"), value("comm_dst"), value("comm_tag"));
        if (node.type == kReceive) {
          if (!sent.count(letter)) continue;
          end = std::max(at, sent[letter]);
        }
        if (node.type == kSend) sent[letter] = end;
        begun[rank][i] = more = true;
        if (node.type == kCollective) {
          Meeting& meeting = meetings[{node.group, met[{rank, node.group}]++}];
          meeting.ready = std::max(meeting.ready, at);
          meeting.nodes.emplace_back(rank, i);
          if (++meeting.came < groups.at(node.group).size()) continue;
          end = meeting.ready + node.time * 1e-6;
          for (const auto& [of, number] : meeting.nodes) ends[of][number] = end;
        }
        ends[rank][i] = end;
        last = std::max(last, end);
      }
    }
  }
  for (const auto& of : ends) EXPECT_EQ(std::count(of.begin(), of.end(), -1), 0) << "some wait for ever";
  return last;
}

class ChakraTraceTest : public ::testing::Test {
 protected:
  void run(const std::string& model) {
    ParallelOptions options;
    options.predict.precision = DType::bf16;
    options.predict.training = true;
    options.predict.optimizer = Optimizer::adamw;
    options.style = style_of("");
    const GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
    const Gpu gpu = find_gpu("a100-sxm4-80gb").value();
    const ParallelNetwork network = parallel_network({.model = model, .batch = {}, .seq_len = {}}).value();
    const NetworkBlocks blocks = blocks_of(network, way, gpu, options.predict, BlockDetail::kernels).value();
    StepTimeline timeline;
    step = parallel_step(blocks, way, cluster, gpu, options, &timeline).value();
    const ChakraTraces traces("A30", way, timeline);
    groups = nlohmann::json::parse(traces.groups());
    first = traces.of_rank(0);
    ranks.clear();
    std::size_t nodes = 0;
    for (int rank = 0; rank < traces.ranks(); ++rank) {
      ranks.push_back(Reader().read(traces.of_rank(rank)));
      nodes += ranks.back().size();
    }
    EXPECT_EQ(nodes, traces.nodes());
  }

  double flops() const {
    double sum = 0;
    for (const auto& rank : ranks) {
      for (const ReadNode& node : rank) {
        if (node.type == kCompute) sum += static_cast<double>(node.values.at("num_ops"));
      }
    }
    return sum;
  }

  Parallelism way;
  ParallelStep step;
  nlohmann::json groups;
  std::string first;  // the file of GPU 0
  std::vector<std::vector<ReadNode>> ranks;
};

TEST(ProtoMessage, IsEncodedAsTheGuideDoes) {
  ProtoMessage message;
  message.number(1, 150);
  EXPECT_EQ(message.bytes(), "\x08\x96\x01");
  message = {};
  message.numbers(6, std::array<std::uint64_t, 3>{3, 270, 86942});
  EXPECT_EQ(message.bytes(), "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  EXPECT_EQ(message.delimited().front(), 8);
}

// A simulator that takes the traces' own times comes to the step's time: what waits for what is all in them.
TEST_F(ChakraTraceTest, ReplaysToTheTimeOfTheStep) {
  way.tp = 2, way.pp = 2, way.dp = 2, way.micro_batches = 6, way.sequence_parallel = true;
  run("gpt2");
  EXPECT_NEAR(replayed(ranks, groups) / step.time.value(), 1, 0.02);
  EXPECT_NEAR(flops() / step.flops.value(), 1, 0.02);

  way = {};
  way.pp = 4, way.vp = 3, way.micro_batches = 8;
  run("gpt2");
  EXPECT_NEAR(replayed(ranks, groups) / step.time.value(), 1, 0.02);
}

TEST_F(ChakraTraceTest, RooflinesReadBackWhatIsComputed) {
  way.tp = 2;
  run("gpt2");
  const profile::Profile read = profile::read_profile(first, "a.0.et").value();
  EXPECT_TRUE(read.predicted);
  std::size_t computing = 0;
  for (const ReadNode& node : ranks[0]) computing += node.type == kCompute;
  ASSERT_EQ(read.kernels.size() + read.dropped_count, computing);
  for (const profile::Dropped& one : read.dropped) EXPECT_THAT(one.reason, testing::EndsWith("takes no time"));
  double time = 0, number = 0;
  for (const profile::KernelProfile& kernel : read.kernels) time += kernel.time->value() * 1e6;
  for (const ReadNode& node : ranks[0]) number += node.type == kCompute ? node.time : 0;
  EXPECT_NEAR(time, number, 1e-6 * number);
}

TEST_F(ChakraTraceTest, CollectivesNameTheirGroupsAndSizes) {
  way.tp = 2, way.dp = 2, way.sharding = Sharding::all;
  run("gpt2");
  EXPECT_EQ(groups.size(), 4U);
  std::map<std::uint64_t, double> sizes;  // by kind, of all of a GPU's collectives over replicas
  for (const ReadNode& node : ranks[0]) {
    if (node.type != kCollective) continue;
    const nlohmann::json& group = groups.at(node.group);
    EXPECT_TRUE(std::find(group.begin(), group.end(), 0) != group.end());
    if (group == nlohmann::json({0, 2}))
      sizes[node.values.at("comm_type")] += static_cast<double>(node.values.at("comm_size"));
  }
  constexpr std::uint64_t kAllGather = 2, kReduceScatter = 7;
  // Weights are gathered twice, from halves; gradients are scattered once, from wholes: as many bytes.
  EXPECT_NEAR(sizes[kAllGather] / sizes[kReduceScatter], 1, 0.01);
}

}  // namespace
}  // namespace rooftile
