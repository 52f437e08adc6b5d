// Names that Hugging Face's hub has for networks that are known here: owner and name.
#pragma once

#include <string>
#include <string_view>

namespace rooftile {

// "llama-2-7b" of "meta-llama/Llama-2-7b-chat-hf", "mistral-7b" of "mistralai/Mistral-7B-Instruct-v0.2": tuned weights
// are of the same sizes. Empty if it is no such name: a path, say.
std::string without_owner(std::string_view name);

// Whether the owner has networks of images or speech of that family there; "models/resnet50" is a file that is missing.
bool publishes(std::string_view name);

}  // namespace rooftile
