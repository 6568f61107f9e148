const PartitionView view(Tensor::from<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}), {2, 2});

// [PartitionView]
view.tile_count();           // -> (1, 2)
view.tile({0, 1});
// -> [[3]
//     [6]]
view.sum();                  // -> [[12  9]]
view.get_tile({0, 1})->is_edge;  // -> true
