#include "rooftile/compare/compared_run.hpp"

#include <cmath>

namespace rooftile {

std::optional<double> ComparedRun::watts() const {
  return energy ? std::optional(energy->value() / time.value()) : std::nullopt;
}

std::optional<Dollars> ComparedRun::cost_of(double of_samples) const {
  if (!price) return std::nullopt;
  return price->rate * (time * (of_samples / static_cast<double>(batch_size)));
}

std::optional<Seconds> ComparedRun::epoch_time() const {
  if (!samples) return std::nullopt;
  return time * std::ceil(*samples / static_cast<double>(batch_size));
}

std::optional<Dollars> ComparedRun::epoch_cost() const {
  const auto epoch = epoch_time();
  if (!epoch || !price) return std::nullopt;
  return price->rate * *epoch;
}

std::optional<Seconds> ComparedRun::total_time() const {
  const auto epoch = epoch_time();
  return epoch ? std::optional(*epoch * epochs) : std::nullopt;
}

std::optional<Dollars> ComparedRun::total_cost() const {
  const auto epoch = epoch_cost();
  return epoch ? std::optional(*epoch * epochs) : std::nullopt;
}

std::optional<double> ComparedRun::joules_per_sample() const {
  return energy ? std::optional(energy->value() / static_cast<double>(batch_size)) : std::nullopt;
}

std::optional<double> ComparedRun::grams_per_million_samples() const {
  constexpr double kMillion = 1e6;
  if (!energy || !grams_per_joule) return std::nullopt;
  return energy->value() * *grams_per_joule * (kMillion / static_cast<double>(batch_size));
}

std::optional<double> ComparedRun::break_even_months() const {
  constexpr double kMonth = 730.5 * 3600;  // seconds
  if (!board || !price || price->of_board) return std::nullopt;
  const double saved = price->rate.value() - watts().value_or(0) * usd_per_joule;  // a second
  if (saved <= 0) return std::nullopt;
  return board->usd.value() / saved / kMonth;
}

}  // namespace rooftile
