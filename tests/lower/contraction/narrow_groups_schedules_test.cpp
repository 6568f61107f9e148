#include "lower/contraction/groups_cases.hpp"
#include "support/narrow_storages.hpp"
#include "support/random/draw.hpp"

/// Contractions over groups of axes whose elements share words in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

struct Storages {
  StorageType left, right, out;
};
constexpr Storages storages[] = {{f16, f16, f32},    {f16, f16, f16}, {bf16, bf16, f32},
                                 {bf16, bf16, bf16}, {f16, f32, f32}, {f32, bf16, bf16}};

GroupsCase with(GroupsCase c, const Storages& of) {
  c.of_left = of.left;
  c.of_right = of.right;
  c.of_out = of.out;
  return c;
}

// Each element is read and widened by itself, with windows that begin anywhere in a word.
TEST_F(GroupsSchedules, of_narrow_elements_in_tiles_in_shared_memory) {
  Draw draw = draw_one_of(2);
  for (const Storages& of : storages)
    for (const GroupsCase& c :
         {GroupsCase{1, 37, 70, 3, 5}, GroupsCase{3, 5, 131, 7, 3}, GroupsCase{2, 140, 9, 1, 2},
          GroupsCase{.g = 2, .rows = 33, .columns = 45, .c = 5, .k = 3, .step = 2, .start = 1029}}) {
      if (!draw.next()) continue;
      AsHardware hardware(*device_);
      expect_close(hardware, with(c, of));
      EXPECT_EQ(hardware.names.substr(0, 11), "contraction");
    }
}

// Windows as neighbours, and longer than the distance between them: lines or steps are neighbours in memory.
TEST_F(GroupsSchedules, of_narrow_elements_in_steps_of_several_tiles) {
  Draw draw = draw_one_of(2);
  for (const Storages& of : {storages[0], storages[3]})
    for (int64_t resident : {2048, 20 * 2048})
      for (const GroupsCase& c :
           {GroupsCase{1, 70, 141, 40, 3}, GroupsCase{.g = 1, .rows = 131, .columns = 75, .c = 67, .k = 2, .step = 3},
            GroupsCase{.g = 1, .rows = 70, .columns = 61, .c = 21, .k = 17, .step = 15, .start = 1},
            GroupsCase{.g = 1, .rows = 65, .columns = 64, .c = 131, .k = 1, .start = 1031}}) {
        if (!draw.next()) continue;
        AsHardware hardware(*device_, resident);
        expect_close(hardware, with(c, of));
      }
}

TEST_F(GroupsSchedules, of_narrow_elements_in_registers) {
  Draw draw = draw_one_of(2);
  for (const Storages& of : storages)
    for (const bool texels : {false, true}) {
      if (!draw.next()) continue;
      AsTarget software(*device_, device_->target());
      software.plan_for().software = true;
      software.plan_for().texel_reads = texels;
      expect_close(software, with({1, 37, 71, 3, 5}, of));
      expect_close(software, with({.g = 3, .rows = 8, .columns = 16, .c = 7, .k = 3, .doubled = true, .start = 1}, of));
    }
}

TEST_F(GroupsSchedules, of_narrow_elements_with_an_epilogue_into_places_apart) {
  for (const Storages& of : storages)
    for (const int64_t apart : {1, 2, 3}) {
      AsHardware hardware(*device_);
      expect_close(hardware, with({1, 20, 33, 4, 3, true, apart}, of));
      EXPECT_EQ(hardware.dispatches, apart == 1 ? 2 : 1) << hardware.names;
    }
}

TEST_F(GroupsSchedules, of_narrow_elements_with_a_single_row_column_or_step) {
  for (const Storages& of : {storages[1], storages[2]})
    for (const GroupsCase& c : {GroupsCase{1, 1, 41, 3, 2}, GroupsCase{2, 40, 1, 3, 2}, GroupsCase{2, 6, 5, 1, 1}}) {
      AsHardware hardware(*device_);
      expect_close(hardware, with(c, of));
    }
}

TEST_F(GroupsSchedules, of_narrow_elements_in_chunks) {
  for (const Storages& of : {storages[0], storages[1], storages[3]}) {
    AsHardware hardware(*device_, 132 * 2048);
    expect_close(hardware, with({2, 5, 9, 331, 3, true}, of));
    EXPECT_EQ(hardware.dispatches, 2);
    expect_close(hardware, with({2, 5, 9, 331, 3, true, 2}, of));
    EXPECT_EQ(hardware.dispatches, 5) << "to places apart in a kernel of its own";
  }
}

TEST_F(GroupsSchedules, of_narrow_elements_by_matrices_in_memory_where_a_binding_holds_too_little) {
  for (const Storages& of : {storages[1], storages[2]}) {
    AsHardware hardware(*device_);
    hardware.plan_for().max_block_bytes = 4096;
    expect_close(hardware, with({60, 20, 30, 2, 3}, of));
    EXPECT_NE(hardware.names.find("matmul"), std::string::npos) << hardware.names;
  }
}

class GroupsSchedulesOnGles : public GroupsSchedules {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime({}, true); }
};

TEST_F(GroupsSchedulesOnGles, of_narrow_elements) {
  for (const Storages& of : {storages[1], storages[3]})
    for (const bool software : {false, true}) {
      AsHardware target(*device_);
      target.plan_for().software = software;
      expect_close(target, with({.g = 2, .rows = 20, .columns = 33, .c = 4, .k = 3, .step = 2, .start = 1}, of));
    }
}

}  // namespace
}  // namespace eglantine::test
