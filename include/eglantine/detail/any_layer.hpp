#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "eglantine/nn.hpp"

/// For the library's own use: what nn::Sequential holds.
namespace eglantine::nn::detail {

/// Converts to T alone, so that what takes an integer is not called with a bool.
template <class T>
struct Only {
  template <std::same_as<T> U>
  operator U() const;
};

/// What a layer made, or of a recurrent layer its output.
template <class Result>
Tensor output_of(const Result& result) {
  if constexpr (requires { result.output; }) {
    return result.output;
  } else {
    return result;
  }
}

/// Calls a layer with as much of (x, training, seed) as it takes.
template <class Layer>
Tensor apply(Layer& layer, const Tensor& x, bool training, uint64_t seed) {
  if constexpr (std::invocable<Layer&, const Tensor&, Only<bool>, Only<uint64_t>>) {
    return output_of(layer(x, training, seed));
  } else if constexpr (std::invocable<Layer&, const Tensor&, Only<bool>>) {
    return output_of(layer(x, training));
  } else {
    static_assert(std::invocable<Layer&, const Tensor&>, "a part of nn::Sequential is called with one tensor");
    return output_of(layer(x));
  }
}

/// A layer or function of any type, by value.
class AnyLayer {
 public:
  using Visitor = std::function<void(const std::string& path, Tensor& x, bool buffer)>;

  template <class Layer>
  explicit AnyLayer(Layer layer) : held_(std::make_unique<Held<Layer>>(std::move(layer))) {}
  AnyLayer(const AnyLayer& other) : held_(other.held_->copy()) {}
  AnyLayer(AnyLayer&&) noexcept = default;
  AnyLayer& operator=(AnyLayer other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~AnyLayer() = default;

  Tensor call(const Tensor& x, bool training, uint64_t seed) { return held_->call(x, training, seed); }
  void visit(const Visitor& visitor) { held_->visit(visitor); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual Tensor call(const Tensor& x, bool training, uint64_t seed) = 0;
    virtual void visit(const Visitor& visitor) = 0;
  };
  template <class Layer>
  struct Held final : Base {
    explicit Held(Layer of) : layer(std::move(of)) {}
    std::unique_ptr<Base> copy() const override { return std::make_unique<Held>(layer); }
    Tensor call(const Tensor& x, bool training, uint64_t seed) override { return apply(layer, x, training, seed); }
    void visit(const Visitor& visitor) override {
      if constexpr (requires(Visitor f) { layer.parts(Walk<Visitor>("", f)); }) walk(layer, visitor);
    }
    Layer layer;
  };

  std::unique_ptr<Base> held_;
};

}  // namespace eglantine::nn::detail
