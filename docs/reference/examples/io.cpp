const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});

// [save_npy]
save_npy("x.npy", x);

// [load_npy]
save_npy("x.npy", x);
load_npy("x.npy");
// -> [[1. 2.]
//     [3. 4.]]
load_npy("nowhere.npy");  // -> FileError: [load_npy] cannot read nowhere.npy: No such file or directory
