#include "rooftile/report/chakra_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/report/proto_message.hpp"

namespace rooftile {
namespace {

// Of et_def.proto.
enum class NodeType : std::uint64_t { compute = 4, send = 5, receive = 6, collective = 7 };
constexpr std::string_view kVersion = "0.0.4";

std::uint64_t comm_type(CollectiveKind kind) {
  constexpr std::uint64_t kAllReduce = 0, kAllGather = 2, kBroadcast = 5, kAllToAll = 6, kReduceScatter = 7;
  switch (kind) {
    case CollectiveKind::all_reduce:
      break;
    case CollectiveKind::reduce_scatter:
      return kReduceScatter;
    case CollectiveKind::all_gather:
      return kAllGather;
    case CollectiveKind::all_to_all:
      return kAllToAll;
    case CollectiveKind::broadcast:
    case CollectiveKind::send:
      return kBroadcast;
  }
  return kAllReduce;
}

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }

std::uint64_t whole_microseconds(Seconds time) {
  constexpr double kMicro = 1e6;
  return whole(time.value() * kMicro);
}

// The field of an attribute's value says its type.
enum class ValueField { int32 = 7, int64 = 9, uint64 = 13, boolean = 27, text = 29 };

ProtoMessage attribute_named(std::string_view name) {
  ProtoMessage attribute;
  attribute.text(1, name);
  return attribute;
}

void add_attribute(ProtoMessage& node, std::string_view name, ValueField type, std::uint64_t value) {
  constexpr int kAttributes = 10;
  ProtoMessage attribute = attribute_named(name);
  attribute.number(static_cast<int>(type), value);
  node.message(kAttributes, attribute);
}

void add_attribute(ProtoMessage& node, std::string_view name, std::string_view value) {
  constexpr int kAttributes = 10;
  ProtoMessage attribute = attribute_named(name);
  attribute.text(static_cast<int>(ValueField::text), value);
  node.message(kAttributes, attribute);
}
}  // namespace

// Turns tasks into nodes. Tasks of a stage come in an order in which each follows all of that stage that it waits for.
class ChakraTraces::Stages {
 public:
  Stages(const Parallelism& way, const StepTimeline& timeline) : timeline_(timeline), ends_(timeline.tasks.size()) {
    stages_.resize(static_cast<std::size_t>(way.pp));
    last_.resize(stages_.size() * kStreams);
    waits_.resize(timeline.tasks.size());
    target_.resize(timeline.tasks.size());
    for (const StreamGraph::Edge& edge : timeline.edges) {
      waits_[edge.to].push_back(edge.from);
      target_[edge.from] = timeline.tasks[edge.to].gpu;
    }
  }

  std::vector<std::vector<Node>> all() {
    for (std::size_t i = 0; i < timeline_.tasks.size(); ++i) add_task(i);
    return std::move(stages_);
  }

 private:
  using Numbers = std::vector<std::uint64_t>;

  std::vector<Node>& nodes(std::size_t task) { return stages_[static_cast<std::size_t>(timeline_.tasks[task].gpu)]; }
  Numbers& last(int stage, GpuStream stream) {
    return last_[static_cast<std::size_t>(stage) * kStreams + static_cast<std::size_t>(stream)];
  }

  static void join(Numbers& to, const Numbers& more) {
    to.insert(to.end(), more.begin(), more.end());
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }

  std::uint64_t add(std::size_t task, Node node) {
    nodes(task).push_back(std::move(node));
    return nodes(task).size() - 1;
  }

  void add_task(std::size_t i) {
    const StreamGraph::Task& task = timeline_.tasks[i];
    Numbers after = last(task.gpu, task.stream);
    for (const std::size_t other : waits_[i]) {
      join(after, timeline_.tasks[other].gpu == task.gpu ? ends_[other] : Numbers{received(i, other)});
    }
    const StepTask& what = timeline_.what[i];
    if (what.exchange) {
      after = {add_exchange(i, std::move(after))};
    } else {
      add_passes(i, after);
    }
    ends_[i] = last(task.gpu, task.stream) = std::move(after);
  }

  // A receive is posted when all that the stage computes before has ended, as pipelines do.
  std::uint64_t received(std::size_t task, std::size_t from) {
    Node node;
    node.kind = Node::Kind::receive;
    node.name = fmt::format("receive {}", timeline_.what[from].micro_batch);
    node.after = last(timeline_.tasks[task].gpu, GpuStream::compute);
    node.start = timeline_.times.start[from];
    node.time = timeline_.times.end[from] - node.start;
    node.exchange = timeline_.what[from].exchange;
    node.other_stage = timeline_.tasks[from].gpu;
    node.tag = from;
    return add(task, std::move(node));
  }

  std::uint64_t add_exchange(std::size_t i, Numbers after) {
    const StepTask& what = timeline_.what[i];
    Node node;
    const bool sends = what.kind == StepTask::Kind::send;
    node.kind = sends ? Node::Kind::send : Node::Kind::collective;
    node.name = sends ? fmt::format("send {}", what.micro_batch) : std::string(name_of(what.kind));
    node.after = std::move(after);
    node.start = timeline_.times.start[i];
    node.time = timeline_.times.end[i] - node.start;
    node.exchange = what.exchange;
    if (sends) node.other_stage = target_[i], node.tag = i;
    return add(i, std::move(node));
  }

  // `after` becomes that which whatever follows waits for. Nodes that compute last until the next piece begins, as the
  // host may issue kernels slower than they run. What a block hides runs beside it, and takes as long as the block and
  // whatever of it is not hidden.
  void add_passes(std::size_t i, Numbers& after) {
    const Seconds end = timeline_.times.end[i];
    Seconds cursor = timeline_.times.start[i];
    Numbers beside;
    Node open;
    bool computes = false;
    int block = -1;
    const auto close = [&](Seconds until) {
      if (!computes) return;
      open.time = until - open.start;
      for (const std::uint64_t hidden : beside) {
        if (nodes(i)[hidden].time > Seconds(0)) nodes(i)[hidden].time += open.time;
      }
      open.after = std::move(after);
      after = {add(i, std::move(open))};
      open = {}, computes = false;
      cursor = until;
    };
    const auto join_hidden = [&] { join(after, std::exchange(beside, {})); };
    for (const PlacedPiece& placed : pieces_of(timeline_, i)) {
      if (placed.block != block) {
        close(placed.start);
        join_hidden();
        block = placed.block;
      }
      if (!placed.piece.exchange) {
        if (!computes) open.name = label(timeline_.what[i], block), open.start = cursor;
        computes = true;
        open.flops += placed.piece.kernel.flops, open.dram += placed.piece.kernel.dram;
        continue;
      }
      close(placed.start);
      Node node;
      node.kind = Node::Kind::collective;
      node.name = rooftile::name_of(placed.piece.exchange->kind);
      node.after = after;
      node.start = placed.start, node.time = placed.time;
      node.exchange = placed.piece.exchange;
      const std::uint64_t number = add(i, std::move(node));
      if (placed.piece.exchange->hidden) {
        beside.push_back(number);
      } else {
        after = {number};
      }
      cursor = placed.start + placed.time;
    }
    close(end);
    if (block >= 0 && cursor < end && !after.empty()) nodes(i)[after.back()].time += end - cursor;
    join_hidden();
  }

  std::string label(const StepTask& what, int block) const {
    if (what.kind == StepTask::Kind::update) return std::string(name_of(what.kind));
    const std::size_t kind = timeline_.chunks[static_cast<std::size_t>(what.chunk)][static_cast<std::size_t>(block)];
    return fmt::format("{} {} {} {}", name_of(what.kind), what.micro_batch, timeline_.kinds[kind].name, block);
  }

  const StepTimeline& timeline_;
  std::vector<std::vector<Node>> stages_;
  std::vector<Numbers> last_;                    // of each stream of each stage
  std::vector<std::vector<std::size_t>> waits_;  // tasks that a task waits for
  std::vector<int> target_;                      // stage that waits for a task
  std::vector<Numbers> ends_;                    // nodes with which a task ends
};

ChakraTraces::ChakraTraces(std::string gpu, const Parallelism& way, const StepTimeline& timeline)
    : gpu_(std::move(gpu)), way_(way), stages_(Stages(way, timeline).all()) {
  for (int rank = 0; rank < ranks(); ++rank) {
    for (const Node& node : stages_[static_cast<std::size_t>(rank / ranks_of_stage(way_))]) {
      if (node.kind == Node::Kind::collective) groups_.try_emplace(group_of(node, rank), groups_.size() + 1);
    }
  }
}

std::vector<int> ChakraTraces::group_of(const Node& node, int rank) const {
  return rooftile::ranks_of(way_, node.exchange->among, rank);
}

std::size_t ChakraTraces::nodes() const {
  std::size_t sum = 0;
  for (const auto& stage : stages_) sum += stage.size() * static_cast<std::size_t>(ranks_of_stage(way_));
  return sum;
}

std::string ChakraTraces::of_rank(int rank) const {
  ProtoMessage head;
  head.text(1, kVersion);
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"writer", "rooftile"}, {"gpu", gpu_}}) {
    ProtoMessage attribute = attribute_named(name);
    attribute.text(static_cast<int>(ValueField::text), text);
    head.message(2, attribute);
  }
  std::string text = head.delimited();
  const int stage_size = ranks_of_stage(way_);
  const auto& nodes = stages_[static_cast<std::size_t>(rank / stage_size)];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    constexpr std::array<NodeType, 4> kTypes = {NodeType::compute, NodeType::collective, NodeType::send,
                                                NodeType::receive};
    enum Field { id = 1, name, type, data_deps = 5, start_time, duration };
    ProtoMessage message;
    message.number(id, i);
    message.text(name, node.name);
    message.number(type, static_cast<std::uint64_t>(kTypes[static_cast<std::size_t>(node.kind)]));
    message.numbers(data_deps, node.after);
    message.number(start_time, whole_microseconds(node.start));
    message.number(duration, std::max<std::uint64_t>(1, whole_microseconds(node.time)));
    add_attribute(message, "is_cpu_op", ValueField::boolean, 0);
    if (node.kind == Node::Kind::compute) {
      add_attribute(message, "num_ops", ValueField::int64, whole(node.flops.value()));
      add_attribute(message, "tensor_size", ValueField::uint64, whole(node.dram.value()));
    } else if (node.kind == Node::Kind::collective) {
      const std::vector<int> group = group_of(node, rank);
      const bool gathers = node.exchange->kind == CollectiveKind::all_gather;
      const double parts = gathers ? static_cast<double>(group.size()) : 1;
      add_attribute(message, "comm_type", ValueField::int64, comm_type(node.exchange->kind));
      add_attribute(message, "comm_size", ValueField::int64, whole(node.exchange->bytes.value() / parts));
      add_attribute(message, "pg_name", fmt::format("{}", groups_.at(group)));
    } else {
      const int other = node.other_stage * stage_size + rank % stage_size;
      const bool sends = node.kind == Node::Kind::send;
      add_attribute(message, "comm_size", ValueField::int64, whole(node.exchange->bytes.value()));
      add_attribute(message, "comm_src", ValueField::int32, static_cast<std::uint64_t>(sends ? rank : other));
      add_attribute(message, "comm_dst", ValueField::int32, static_cast<std::uint64_t>(sends ? other : rank));
      add_attribute(message, "comm_tag", ValueField::int32, node.tag);
    }
    text += message.delimited();
  }
  return text;
}

std::string ChakraTraces::groups() const {
  nlohmann::ordered_json groups = nlohmann::ordered_json::object();
  std::vector<const std::vector<int>*> by_number(groups_.size());
  for (const auto& [ranks, number] : groups_) by_number[static_cast<std::size_t>(number) - 1] = &ranks;
  for (std::size_t i = 0; i < by_number.size(); ++i) groups[std::to_string(i + 1)] = *by_number[i];
  return groups.dump() + "\n";
}

}  // namespace rooftile
