import { describe, expect, it } from "vitest";
import { createRedactor, redact } from "../../src/diagnose/redact.ts";
import { CONTEXTS, HEX, lines64, run, SECRETS } from "./planted.ts";

describe("a secret is taken out", () => {
  it.each(SECRETS)("%s, in every context", (_, secret, hidden) => {
    const gone = hidden ?? secret;

    const leaks = CONTEXTS.filter(([, write]) => redact(write(secret)).text.includes(gone)).map(([name]) => name);

    expect(leaks).toEqual([]);
  });

  it.each(SECRETS)("%s, once: doing it again changes nothing", (_, secret) => {
    const once = CONTEXTS.map(([, write]) => redact(write(secret)).text);

    const again = once.map((text) => redact(text));

    expect(again.map(({ text }) => text)).toEqual(once);
    expect(again.flatMap(({ counts }) => Object.keys(counts))).toEqual([]);
  });

  it("leaves everything around it", () => {
    const text = `12: export HF_TOKEN=hf_${run(34)} MASTER_PORT=29500 # node-014\n[rank1]: step 3`;

    expect(redact(text).text).toBe(
      "12: export HF_TOKEN=<redacted:huggingface-token> MASTER_PORT=29500 # node-014\n[rank1]: step 3",
    );
  });

  it.each([
    ["password=Hunt3r!two", "password=<redacted:password>"],
    ["DB_PASS='a b c' PORT=1", "DB_PASS='<redacted:password>' PORT=1"],
    ['password: "correct horse", user: "x"', 'password: "<redacted:password>", user: "x"'],
    ["password: swordfish", "password: <redacted:password>"],
    ["curl -u deploy:swordfish7 https://x", "curl -u deploy:<redacted:basic-auth> https://x"],
    ["redis://:swordfish@cache-2:6379/0", "redis://:<redacted:url-password>@cache-2:6379/0"],
    [
      "mysql://root:<mailto:swordfish@10.0.0.2|swordfish@10.0.0.2>/runs",
      "mysql://root:<mailto:<redacted:url-password>@10.0.0.2|<redacted:url-password>@10.0.0.2>/runs",
    ],
    ["amqp://u:p@ss@mq:5672", "amqp://u:<redacted:url-password>@mq:5672"],
    ["GET /x?user=a&amp;token=abcd1234ef&amp;n=2", "GET /x?user=a&amp;token=<redacted:token>&amp;n=2"],
    ["<password>swordfish</password>", "<password><redacted:password></password>"],
    [
      "machine api.wandb.ai login user password abc123def",
      "machine api.wandb.ai login user password <redacted:password>",
    ],
    ["ENV API_KEY swordfish7", "ENV API_KEY <redacted:secret>"],
    ["X-Api-Key: swordfish7", "X-Api-Key: <redacted:secret>"],
    [
      "\u001b[36mpassword\u001b[0m=\u001b[35mswordfish\u001b[0m rank=3",
      "\u001b[36mpassword\u001b[0m=\u001b[35m<redacted:password>\u001b[0m rank=3",
    ],
    ["{'password': 'swordfish', 'rank': 3}", "{'password': '<redacted:password>', 'rank': 3}"],
    [
      "open.feishu.cn/open-apis/bot/v2/hook/1b9d6bcd-bbfd-4b2d",
      "open.feishu.cn/open-apis/bot/v2/hook/<redacted:webhook>",
    ],
  ])("%s", (line, expected) => {
    expect(redact(line).text).toBe(expected);
  });
});

describe("a token that a terminal broke", () => {
  const tokens = [`hf_${run(34)}`, `ghp_${run(36)}`, `AKIA${run(16, "Q7ZK3XWV5NPD2HJR")}`, `glpat-${run(20)}`];

  it.each(tokens)("is gone with its rest, wherever it broke: %s", (token) => {
    for (let cut = token.search(/[_-]/) + 6; cut < token.length; cut += 1) {
      const out = redact(`export X=${token.slice(0, cut)}\n${token.slice(cut)}\nstep 1 loss 2.0`).text.split("\n");

      expect(out[1]).toMatch(/^<redacted:[a-z-]+>$/);
      expect(out[2]).toBe("step 1 loss 2.0");
      if (cut > 14) expect(out[0]).not.toContain(token.slice(0, 14));
    }
  });

  it("is not seen in a line that only ends like one", () => {
    const text = "the prefix is hf_\nstep 100 loss 2.0\ncheck AKIA\nrank 3 is out of memory";

    expect(redact(text)).toEqual({ text, counts: {} });
  });
});

describe("a private key of many lines", () => {
  const key = ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines64, "aB3x=", "-----END OPENSSH PRIVATE KEY-----"];

  it.each([
    ["plain", (line: string) => line],
    ["behind ranks", (line: string) => `[rank0]: ${line}`],
    ["indented in YAML", (line: string) => `    ${line}`],
    ["in a shell's quotes", (line: string) => `"${line}\\n"`],
    ["with Windows line ends", (line: string) => `${line}\r`],
  ])("is gone, %s, and no line with it", (_, write) => {
    const text = ["step 1", ...key.map(write), "step 2 loss 2.0"].join("\n");

    const out = redact(text);

    expect([...lines64, "aB3x="].filter((line) => out.text.includes(line))).toEqual([]);
    expect(out.text.split("\n").length).toBe(text.split("\n").length);
    expect(out.text).toMatch(/^step 1\n.*BEGIN OPENSSH[\s\S]*END OPENSSH.*\r?\nstep 2 loss 2.0$/);
    expect(out.counts).toEqual({ "private-key": 1 });
    expect(redact(out.text)).toEqual({ text: out.text, counts: {} });
  });

  it("that was cut ends by itself: the log behind it stays", () => {
    const log = ["step 1 loss 2.0", "step 2 loss 1.9", "rank 3 is out of memory", "step 4 loss 1.8"];

    const out = redact([...key.slice(0, 3), ...log].join("\n"));

    expect(out.text.split("\n").slice(3)).toEqual(log);
    expect(out.text).not.toContain(lines64[1]);
  });

  it("whose head was cut off is gone as well", () => {
    expect(redact(lines64.join("\n")).text).not.toContain(lines64[2]);
  });
});

const INNOCENT = [
  "tokens: 8192",
  "task: abcdef0123456789abcdef, mask=0x00ff00ff00ff00ff1234",
  "Magic cookie: 0x21",
  "密码错误，请重试",
  "令牌数 8192，密钥未设置",
  "mysql -p -h db",
  "docker login succeeded for 12 nodes",
  "SECTION 3 SKIPPED 10:AA:BB:CC:DD:EE",
  "key-value cache of 40 GiB, secret_sharing=off, dp.size: 8",
  "pul-ling image 3f78a6c850e3",
  "pg_guid 0x55d0a1c0 [PG GUID 12(EXPERT_TENSOR_PARALLEL_GROUP)] uuid GPU-5f9c1b2e-7a3d-11ee-b962-0242ac120002",
  "checkpoint hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "git: HEAD is now at 3f78a6c850e3975b50efd836ed7e6bc881de023b",
  "aGVhbHRoeSB0ZXh0IG9mIGEgcnVuIHRoYXQgaXMgd2VsbCwgc3RlcCAxMDAgbG9zcyAyLjA=",
  "tokens_per_expert=12",
  "token=eos",
  "token: 50256",
  "eos_token='</s>', pad_token='<pad>', unk_token_id=0",
  "special_token=<|endoftext|>, bos_token=<s1a2b3c4>",
  "  token_dispatcher_type ........................... alltoall",
  "number of tokens/s: 51233, time per token: 12ms",
  "Invalid token: expected ',' at line 268914",
  "key model.layers.0.weight",
  "KeyError: 'model.layers.0.self_attn.q_proj.weight'",
  'Missing key(s) in state_dict: "lm_head.weight"',
  "cache_key=6f1ed002ab5595859014ebf0951522d9",
  "ubuntu@node-014's password: ",
  "Enter your password prompt",
  "sudo: a password is required",
  "password: required",
  "api_key=None, password=null, secret: false",
  "password=$DB_PASSWORD token=${HF_TOKEN}",
  'api_key=os.environ["OPENAI_API_KEY"]',
  "hf_token: Optional[str] = None",
  "PWD=/home/wei/run42",
  "OLDPWD=/mnt/code",
  "private_key: /home/wei/.ssh/id_ed25519",
  "commit 3f78a6c850e3975b50efd836ed7e6bc881de023b",
  "wandb: run 3f78a6c8 at commit 3f78a6c850e3975b50efd836ed7e6bc881de023b",
  `sha256:${HEX}`,
  "docker://nvcr.io/nvidia/pytorch:25.03-py3",
  `image: registry:5000/train:v1@sha256:${HEX}`,
  "pulling docker://train:v1@sha256:0011223344556677",
  "id 123e4567-e89b-12d3-a456-426614174000",
  "tcp://10.0.0.12:29500",
  "--rdzv_endpoint=node-001:29500 --rdzv_id=pretrain_7b",
  "ssh://git@example.com:22/x.git",
  "git@github.com:org/repo.git",
  "torchrun --nnodes 4 --tokenizer-model /mnt/tok/tokenizer.model",
  "--max-tokens 4096 --stop-token eos1abcdef",
  "loading /mnt/ckpt/hf_llama_7b/model-00001-of-00004.safetensors",
  "/mnt/hf_convertedcheckpointsfromlastweek/shard",
  "[rank3]:[E1118 02:07:31.088001234 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout",
  "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
  "ncclUniqueId commId 0x77aa10e2bb31c5d0 nranks 16 key 0x55d2a7c0f1b0",
  "basic configuration loaded, bearer of bad news",
  "RayTask ID: ffffffffffffffff47428c3dd46c036bb3a62f3002000000 Worker ID: aef7ac86d66c7a644fb12853ef86dcfaea21818b904ce6087413e3b2",
  "tensor checksum 9b74c9897bac770ffc029102a200c5de aKia",
  "risk-adjusted learning-rate-schedule-for-long-runs",
  "secret: the router was never balanced",
  "credentials: missing, retrying",
  "docker run -u 1000:1000 --user 1000:1000 train",
  "first_pass: 3.2 ms, backward_pass=12",
  "-----BEGIN CERTIFICATE-----",
  "could not read -----BEGIN PRIVATE KEY----- from file",
];

it.each(INNOCENT)("leaves alone: %s", (line) => {
  expect(redact(line)).toEqual({ text: line, counts: {} });
});

it("gives the same line by line as all at once", () => {
  const text = SECRETS.map(([, secret]) => secret).join("\n");
  const redactor = createRedactor();

  const lines = text.split("\n").map((line) => redactor.push(line));

  expect({ text: lines.join("\n"), counts: redactor.counts }).toEqual(redact(text));
});

it.each([
  ["a", "a"],
  ["dashes and a name", "--key"],
  ["half tokens", "eyJ"],
  ["begins of keys", "-----BEGIN PRIVATE KEY-----"],
  ["names", "password "],
  ["assignments", "token=a "],
  ["addresses", "://a:b"],
  ["addresses as addresses write them", "%3A%2F%2F"],
  ["logins", "docker login "],
  ["cookies", "cookie: a=bbbbbbbb;"],
  ["Chinese", "密码"],
  ["escapes", "\\n\\n\u001b[1m"],
])("takes time in proportion to its length: %s", (_, unit) => {
  // Sixteen times the text: about sixteen times as long where it is linear, 256 times where it is not.
  expect(redacting(unit, 1_600_000) / redacting(unit, 100_000)).toBeLessThan(90);
});

/** The best of three, in milliseconds. */
function redacting(unit: string, length: number): number {
  const text = `-----BEGIN PRIVATE KEY-----\npassword ${unit.repeat(Math.ceil(length / unit.length))}`;
  const times = [1, 2, 3].map(() => {
    // Of the processor: another process may have had it meanwhile.
    const before = process.cpuUsage();
    redact(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
