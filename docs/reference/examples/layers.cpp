const Tensor image = ones({1, 4, 5, 5});

// [orthogonal]
const Tensor q = nn::orthogonal({2, 3}, 1);
allclose(matmul(q, q.transpose(0, 1)), eye(2), 0, 1e-6);  // -> true

// [ConvTranspose]
const nn::ConvTranspose up(4, 2, {3, 3}, {.stride = 2, .padding = 1, .output_padding = 1}, 1);
up(image).shape();  // -> (1, 2, 10, 10)

// [RNN]
const nn::RNN rnn(3, 4, 1);
rnn(ones({5, 2, 3})).output.shape();  // -> (5, 2, 4)

// [GRU]
const nn::GRU gru(3, 4, 1);
gru(ones({5, 2, 3})).hidden.shape();  // -> (1, 2, 4)
gru.weight_ih_l0.shape();  // -> (12, 3)

// [LSTM]
const nn::LSTM lstm(3, 4, 1);
const nn::LSTMResult heard = lstm(ones({5, 2, 3}));
heard.output.shape();  // -> (5, 2, 4)
lstm(ones({1, 2, 3}), heard.hidden, heard.cell).output.shape();  // -> (1, 2, 4)
lstm(ones({5, 2, 4})).output;  // -> ShapeError: [nn::LSTM] x is (length, batch, 3), got (5, 2, 4)

// [TransformerBlock]
const nn::TransformerBlock block(8, 2, 32, 1, {.norm_first = true, .activation = gelu});
block(ones({2, 5, 8}), {.causal = true}).shape();  // -> (2, 5, 8)

// [Sequential]
nn::Sequential net(nn::Linear(4, 8, 1), relu, nn::Dropout(0.1), nn::Linear(8, 2, 2));
net(ones({3, 4})).shape();  // -> (3, 2)
net(ones({3, 4}), true, 7).shape();  // -> (3, 2)
nn::parameters(net).contains("3.weight");  // -> true
