#include "lower/copies.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

#include "backend/gl/lowered.hpp"
#include "backend/gl/memory/row_copies.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"
#include "support/random/random_data.hpp"

/// The copies that the driver or the host makes write what the kernel would have written, element by element.
namespace eglantine::test {
namespace {

/// A software device with the test's own buffers, which copies and does nothing else.
class HostCopies {
 public:
  explicit HostCopies(bool software = true, bool maps_memory = false) {
    target_.software = software;
    target_.maps_memory = maps_memory;
  }
  /// Lowers the kernel and performs its copies; false where a kernel must run.
  bool run(const MapKernel& kernel) {
    const std::optional<lower::Copy> made = lower::copy_of(target_, kernel);
    if (!made) return false;
    if (!lower::is_by_host(target_, *made)) return copy(*made->from, *made->to, lower::ranges_of(*made));
    ++copies;
    const int64_t part = made->rows() * 2 / 3;  // as two threads do
    for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{part, made->rows()}, {0, part}})
      gl::copy_rows(*made, begin, end, bytes_of(*made->from), bytes_of(*made->to));
    return true;
  }
  bool run(const GatherKernel& kernel) {
    if (!lower::gathers_rows(target_, kernel)) return false;
    const layout::Reach reach = lower::indices_of_rows(kernel);
    const std::vector<int32_t>& held = words.at(kernel.index.operands.front().buffer.get());
    const auto ranges = lower::copies_of_rows(
        kernel, std::span(held).subspan(static_cast<size_t>(reach.first), static_cast<size_t>(reach.count())));
    return ranges && copy(*kernel.source.buffer, *kernel.out.buffer, *ranges);
  }
  bool copy(const Buffer& from, const Buffer& to, const std::vector<lower::CopyRange>& ranges) {
    ++copies;
    for (const lower::CopyRange& x : ranges) {
      EXPECT_TRUE(x.from >= 0 && x.from + x.size <= from.bytes() && x.to >= 0 && x.to + x.size <= to.bytes());
      std::memcpy(bytes_of(to) + x.to, bytes_of(from) + x.from, static_cast<size_t>(x.size));
    }
    return true;
  }
  BufferPtr hold(std::vector<int32_t> values) {
    auto buffer = std::make_shared<Buffer>(nullptr, static_cast<int64_t>(values.size()) * 4);
    words[buffer.get()] = std::move(values);
    return buffer;
  }
  std::byte* bytes_of(const Buffer& buffer) { return reinterpret_cast<std::byte*>(words[&buffer].data()); }

  std::map<const Buffer*, std::vector<int32_t>> words;
  int copies = 0;

 private:
  gl::Target target_;
};

/// Words of every buffer before the first that a layout reaches.
constexpr int64_t copies_ahead = 3;

/// The layout at that offset, with memory as long as it reaches.
Strided held(HostCopies& device, Layout x, int32_t first, DType dtype = DType::f32) {
  x.offset = 0;
  x.offset = copies_ahead - layout::reach(x).first;
  std::vector<int32_t> values(static_cast<size_t>(layout::reach(x).last + 1));
  std::iota(values.begin(), values.end(), first);
  return {device.hold(std::move(values)), word_storage(dtype), std::move(x)};
}

/// An output with gaps between its rows, which must not be written.
Layout with_gaps(const Shape& shape, int64_t gap, int64_t step = 1) {
  Layout x = layout::contiguous(shape);
  for (int axis = 0; axis < shape.rank(); ++axis)
    x.strides[static_cast<size_t>(axis)] *= axis + 1 < shape.rank() ? step * (shape[axis + 1] + gap) : step;
  return x;
}

Strided output(HostCopies& device, const Layout& x) {
  Strided out = held(device, x, 0);
  for (int32_t& word : device.words[out.buffer.get()]) word = -1;
  return out;
}

template <class Visit>
void for_each_coordinate(const Shape& shape, Visit visit) {
  for (int64_t number = 0; number < shape.elements(); ++number) {
    Shape coordinate = shape;
    int64_t rest = number;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      coordinate[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    visit(coordinate);
  }
}

/// Memory with `value(coordinate)` written to each coordinate of the output, and nothing elsewhere.
template <class Value>
std::vector<int32_t> written(const HostCopies& device, const Strided& out, Value value) {
  std::vector<int32_t> expected(device.words.at(out.buffer.get()).size(), -1);
  for_each_coordinate(out.layout.shape, [&](const Shape& coordinate) {
    expected[static_cast<size_t>(layout::address(out.layout, coordinate))] = value(coordinate);
  });
  return expected;
}

struct Moved {
  Layout from, to;
  bool copied;
};

void check(const Moved& moved, bool maps_memory = false) {
  HostCopies device(true, maps_memory);
  MapKernel kernel;
  kernel.value.domain = moved.from.shape;
  kernel.value.operands = {held(device, moved.from, 100)};
  kernel.value.code = {{Op::load, DType::f32, {0, -1, -1}}};
  kernel.out = output(device, moved.to);
  ASSERT_EQ(device.run(kernel), moved.copied) << to_string(moved.from.shape);
  ASSERT_EQ(device.copies, moved.copied ? 1 : 0);
  if (!moved.copied) return;
  const Strided& from = kernel.value.operands[0];
  const std::vector<int32_t>& source = device.words[from.buffer.get()];
  EXPECT_EQ(device.words[kernel.out.buffer.get()], written(device, kernel.out, [&](const Shape& at) {
              return source[static_cast<size_t>(layout::address(from.layout, at))];
            }));
}

TEST(DriverCopies, move_long_rows) {
  for (int64_t length : {512, 513, 784}) {
    const Layout rows = layout::contiguous(Shape{5, length}), deep = layout::contiguous(Shape{3, 4, length});
    check({rows, rows, true});
    check({layout::flip(rows, 0), with_gaps(Shape{5, length}, 3), true});
    check({layout::slice(layout::contiguous(Shape{5, length + 9}), 1, 4, length, 1), rows, true});
    check({layout::slice(layout::contiguous(Shape{20, length}), 0, 19, 5, -3), rows, true});
    check({layout::expand(layout::contiguous(Shape{1, length}), Shape{5, length}), rows, true});
    check({layout::permute(deep, {1, 0, 2}), with_gaps(Shape{4, 3, length}, 1), true});
  }
}

TEST(DriverCopies, move_a_single_row_of_any_length) {
  for (int64_t length : {1, 2, 20, 511, 1025}) {
    const Layout row = layout::contiguous(Shape{length});
    check({row, row, true});
    check({layout::contiguous(Shape{1, length}), with_gaps(Shape{1, length}, 7), true});
  }
}

TEST(DriverCopies, leave_short_and_scattered_rows_to_kernels) {
  const Layout row = layout::contiguous(Shape{600}), rows = layout::contiguous(Shape{5, 511});
  check({rows, rows, false});
  check({layout::flip(row, 0), row, false});
  check({layout::slice(layout::contiguous(Shape{1200}), 0, 0, 600, 2), row, false});
  check({layout::expand(layout::contiguous(Shape{1}), Shape{600}), row, false});
  check({row, with_gaps(Shape{600}, 0, 2), false});
  check({layout::permute(layout::contiguous(Shape{600, 5}), {1, 0}), layout::contiguous(Shape{5, 600}), false});
}

/// Whether rows that the host copies, on a device that maps memory, are moved; without it they are a kernel's.
void check_by_host(const Layout& from, const Layout& to, bool copied = true) {
  check({from, to, copied}, true);
  check({from, to, false});
}

TEST(DriverCopies, of_the_host_move_rows_of_any_length_in_order) {
  for (int64_t length : {1, 2, 3, 7, 13, 64}) {
    const Layout rows = layout::contiguous(Shape{11, length}), deep = layout::contiguous(Shape{7, 5, length});
    const auto first_of = [&](int64_t lines, int64_t of) {
      return layout::slice(layout::contiguous(Shape{11, of, length}), 1, 0, lines, 1);
    };
    check_by_host(rows, with_gaps(Shape{11, length}, 3));
    check_by_host(layout::slice(layout::contiguous(Shape{11, length + 9}), 1, 4, length, 1),
                  with_gaps({11, length}, 1));
    check_by_host(layout::slice(layout::contiguous(Shape{60, length}), 0, 59, 11, -3), with_gaps({11, length}, 2));
    check_by_host(layout::slice(layout::contiguous(Shape{11, 5, length}), 1, 1, 3, 1), first_of(3, 4));
    check_by_host(layout::expand(layout::unsqueeze(rows, 1), Shape{11, 4, length}), first_of(4, 6));
    check_by_host(layout::flip(layout::flip(deep, 1), 0), deep);
  }
}

TEST(DriverCopies, of_the_host_move_single_elements_in_order) {
  const Layout row = layout::contiguous(Shape{600}), rows = layout::contiguous(Shape{9, 23});
  check_by_host(layout::flip(row, 0), row);
  check_by_host(layout::slice(layout::contiguous(Shape{1200}), 0, 0, 600, 2), row);
  check_by_host(row, with_gaps(Shape{600}, 0, 3));
  check_by_host(layout::flip(rows, 1), with_gaps(Shape{9, 23}, 2));
  check_by_host(layout::expand(layout::contiguous(Shape{9, 1}), Shape{9, 23}), rows);
}

/// A line of memory would be read again for each short row of it.
TEST(DriverCopies, of_the_host_leave_short_rows_that_are_out_of_order_to_kernels) {
  const auto swapped = [](int64_t length) {
    return layout::permute(layout::contiguous(Shape{40, 30, length}), {1, 0, 2});
  };
  check_by_host(layout::permute(layout::contiguous(Shape{600, 5}), {1, 0}), layout::contiguous(Shape{5, 600}), false);
  check_by_host(swapped(15), layout::contiguous(Shape{30, 40, 15}), false);
  check_by_host(layout::contiguous(Shape{30, 40, 15}), swapped(15), false);
  check_by_host(swapped(16), layout::contiguous(Shape{30, 40, 16}));
}

TEST(DriverCopies, are_for_software_devices_and_bare_loads) {
  HostCopies hardware(false), software;
  for (HostCopies* device : {&hardware, &software}) {
    MapKernel kernel;
    kernel.value.domain = {600};
    kernel.value.operands = {held(*device, layout::contiguous(Shape{600}), 0)};
    kernel.value.code = {{Op::load, DType::f32, {0, -1, -1}}, {Op::neg, DType::f32, {0, -1, -1}}};
    kernel.out = output(*device, layout::contiguous(Shape{600}));
    EXPECT_FALSE(device->run(kernel));
    kernel.value.code.back().op = Op::copy;
    EXPECT_EQ(device->run(kernel), device == &software);
    kernel.value.code.pop_back();
    EXPECT_EQ(device->run(kernel), device == &software);
  }
}

TEST(DriverCopies, move_packed_booleans_by_bytes_and_only_to_packed_ones) {
  HostCopies device;
  MapKernel kernel;
  const Layout from = layout::slice(layout::contiguous(Shape{5, 609}), 1, 3, 603, 1), to = layout::contiguous({5, 600});
  kernel.value.domain = from.shape;
  kernel.value.operands = {{device.hold(std::vector<int32_t>(5 * 609)), StorageType::boolean_byte, from}};
  kernel.value.code = {{Op::load, DType::boolean, {0, -1, -1}}};
  kernel.out = {device.hold(std::vector<int32_t>(5 * 600)), StorageType::boolean_word, to};
  std::byte* source = device.bytes_of(*kernel.value.operands[0].buffer);
  for (int i = 0; i < 5 * 609; ++i) source[i] = static_cast<std::byte>(i * 37 % 251);
  EXPECT_FALSE(device.run(kernel));
  kernel.out.storage = StorageType::boolean_byte;
  ASSERT_TRUE(device.run(kernel));
  const std::byte* found = device.bytes_of(*kernel.out.buffer);
  for (int i = 0; i < 5 * 600; ++i) ASSERT_EQ(found[i], source[i / 600 * 609 + 3 + i % 600]) << "at " << i;
}

/// A gather of rows of a (7, length) table, by indices with layout `index`.
GatherKernel gather_of(HostCopies& device, const Layout& index, int64_t length, std::vector<int32_t> indices) {
  GatherKernel kernel;
  Layout places = index;
  places.shape.push_back(length);
  places.strides.push_back(0);
  kernel.index.domain = places.shape;
  kernel.index.operands = {held(device, places, 0, DType::i32)};
  kernel.index.code = {{Op::load, DType::i32, {0, -1, -1}}};
  size_t next = 0;
  for_each_coordinate(index.shape, [&](Shape at) {
    at.push_back(0);
    const Strided& operand = kernel.index.operands[0];
    device.words[operand.buffer.get()][static_cast<size_t>(layout::address(operand.layout, at))] = indices[next++];
  });
  kernel.source = held(device, layout::contiguous(Shape{7, length}), 1000);
  kernel.source.layout = layout::expand(layout::slice(kernel.source.layout, 0, 0, 1, 1), places.shape);
  kernel.length = 7;
  kernel.stride = length;
  kernel.epilogue.domain = places.shape;
  kernel.epilogue.code = {{Op::accumulator, DType::f32, {-1, -1, -1}}};
  kernel.out = output(device, layout::contiguous(places.shape));
  return kernel;
}

const Layout contiguous_indices = layout::contiguous(Shape{2, 3});

TEST(DriverCopies, gather_long_rows) {
  const std::vector<int32_t> indices{6, 0, -1, -7, 3, 3};
  const Layout whole = layout::contiguous(Shape{4, 9});
  for (const Layout& index : {contiguous_indices, layout::flip(contiguous_indices, 0),
                              layout::permute(layout::contiguous(Shape{3, 2}), {1, 0}),
                              layout::slice(layout::slice(whole, 0, 1, 2, 2), 1, 8, 3, -2)}) {
    HostCopies device;
    const GatherKernel kernel = gather_of(device, index, 600, indices);
    ASSERT_TRUE(device.run(kernel));
    std::vector<int32_t> expected(copies_ahead, -1);
    for (const int32_t row : indices)
      for (int32_t i = 0; i < 600; ++i)
        expected.push_back(1000 + static_cast<int32_t>(copies_ahead) + (row + 7) % 7 * 600 + i);
    EXPECT_EQ(device.words[kernel.out.buffer.get()], expected);
  }
}

TEST(DriverCopies, leave_other_gathers_to_kernels) {
  const auto copies = [](const Layout& index, int64_t length, const std::vector<int32_t>& indices, auto change) {
    HostCopies device;
    GatherKernel kernel = gather_of(device, index, length, indices);
    change(kernel);
    const bool copied = device.run(kernel);
    EXPECT_EQ(device.copies, copied ? 1 : 0);
    return copied;
  };
  const auto as_it_is = [](GatherKernel&) {};
  const std::vector<int32_t> good{6, 0, -1, -7, 3, 3};
  EXPECT_TRUE(copies(contiguous_indices, 512, good, as_it_is));
  EXPECT_FALSE(copies(contiguous_indices, 511, good, as_it_is)) << "short rows";
  EXPECT_FALSE(copies(contiguous_indices, 512, {6, 0, -1, -7, 3, 7}, as_it_is)) << "of 7 a kernel is to tell";
  EXPECT_FALSE(copies(contiguous_indices, 512, {6, 0, -8, -7, 3, 3}, as_it_is)) << "and of -8";
  EXPECT_FALSE(copies({{2, 3}, {5000, 90}, 0}, 512, good, as_it_is)) << "indices far apart";
  EXPECT_FALSE(copies(contiguous_indices, 512, good, [](GatherKernel& kernel) {
    kernel.epilogue.code.push_back({Op::neg, DType::f32, {0, -1, -1}});
  })) << "something is done to what is found";
  EXPECT_FALSE(copies(contiguous_indices, 512, good, [](GatherKernel& kernel) {
    kernel.index.code.push_back({Op::neg, DType::i32, {0, -1, -1}});
  })) << "the indices are computed on the way";
  EXPECT_FALSE(copies(layout::contiguous(Shape{900}), 512, std::vector<int32_t>(900, 2), [](GatherKernel& kernel) {
    kernel.index.operands[0].layout.strides.back() = 1;
  })) << "an index of its own for each element";
  EXPECT_FALSE(copies(contiguous_indices, 512, good, [](GatherKernel& kernel) {
    kernel.source.layout.strides.back() = 2;
  })) << "no whole rows";
}

}  // namespace
}  // namespace eglantine::test
