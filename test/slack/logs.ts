// Logs as people paste them.

/** One rank runs out of memory, the others time out ten minutes later. */
export const CASCADE = [
  "2026-03-02 04:01:09,120 [rank37]: Traceback (most recent call last):",
  '2026-03-02 04:01:09,121 [rank37]:   File "/app/megatron/core/transformer/moe/experts.py", line 214, in forward',
  "2026-03-02 04:01:09,122 [rank37]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.21 GiB is free. Process 88100 has 77.90 GiB memory in use. Of the allocated memory 71.20 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but unallocated.",
  ...[1, 2, 3, 4].map(
    (rank) =>
      `2026-03-02 04:11:09,5${rank}0 [rank${rank}]:[E302 04:11:09.5${rank}0 ProcessGroupNCCL.cpp:632] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=31462, OpType=ALLTOALL_BASE, NumelIn=4194304, NumelOut=4194304, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.`,
  ),
].join("\n");

/** Another fault. */
export const OTHER =
  "2026-03-02 04:20:00,000 [rank3]: RuntimeError: The size of tensor a (128) must match the size of tensor b (64) at dimension 1";

/** In a code block, as people who mean well paste it. */
export function fenced(log: string): string {
  return `\`\`\`${log}\`\`\``;
}
