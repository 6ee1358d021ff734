// Keys of services that begin with letters of their own: what they begin with, and what follows. Data only.
// Most of these beginnings are documented by the service; all are what scanners for secrets look for.

const WORD = "[A-Za-z0-9]";
const URL_WORD = "[A-Za-z0-9_-]";
const HEX = "[0-9a-f]";

/** The beginnings are plain text of three bytes or more; five and more are searched for cheaply. */
export const API_KEYS: readonly (readonly [begins: string, goesOn: string])[] = [
  // Models and their hosts.
  ["nvapi-", `${URL_WORD}{20,}`],
  ["gsk_", `${WORD}{30,}`],
  ["r8_", `${WORD}{30,}`],
  ["xai-", `${WORD}{40,}`],
  ["pplx-", `${WORD}{32,}`],
  ["tgp_v1_", `${URL_WORD}{32,}`],
  ["tvly-", `${URL_WORD}{24,}`],
  ["jina_", `${WORD}{32,}`],
  ["bce-v3/ALTAK-", `${WORD}{16,}/${HEX}{32,}`],
  // Experiment trackers and tools around training.
  ["eyJhcGlfYWRkcmVzcyI6", "[A-Za-z0-9+/=_-]{20,}"],
  ["lsv2_pt_", `${HEX}{32}_${HEX}{6,}`],
  ["lsv2_sk_", `${HEX}{32}_${HEX}{6,}`],
  ["dapi", `${HEX}{32}`],
  ["glsa_", `${WORD}{24,}_${HEX}{8}`],
  ["NRAK-", "[A-Z0-9]{27}"],
  ["NRII-", `${URL_WORD}{32}`],
  ["sntrys_", "[A-Za-z0-9+/=_-]{40,}"],
  ["sntryu_", `${HEX}{40,}`],
  ["dt0c01.", "[A-Z0-9]{24}\\.[A-Z0-9]{60,}"],
  // Clouds.
  ["LTAI", `${WORD}{12,24}`],
  ["AKID", `${WORD}{28,}`],
  ["AKLT", `${WORD}{28,}`],
  ["dop_v1_", `${HEX}{40,}`],
  ["doo_v1_", `${HEX}{40,}`],
  ["dor_v1_", `${HEX}{40,}`],
  ["HRKU-", `${URL_WORD}{36,}`],
  // Registries, vaults, pipelines.
  ["dckr_pat_", `${URL_WORD}{20,}`],
  ["dckr_oat_", `${URL_WORD}{20,}`],
  ["hvs.", `${URL_WORD}{20,}`],
  ["hvb.", `${URL_WORD}{20,}`],
  ["dp.pt.", `${WORD}{40,}`],
  ["dp.ct.", `${WORD}{40,}`],
  ["dp.sa.", `${WORD}{40,}`],
  ["dp.st.", "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,}"],
  ["pul-", `${HEX}{40}`],
  ["rubygems_", `${HEX}{48}`],
  ["pscale_tkn_", "[A-Za-z0-9_.=-]{30,}"],
  ["pscale_pw_", "[A-Za-z0-9_.=-]{30,}"],
  ["AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"],
  ["ops_eyJ", `${URL_WORD}{100,}`],
  // What teams talk through and pay with.
  ["ATATT3", "[A-Za-z0-9_=-]{40,}"],
  ["lin_api_", `${WORD}{32,}`],
  ["ntn_", `${WORD}{40,}`],
  ["PMAK-", `${HEX}{24}-${HEX}{30,}`],
  ["SG.", `${URL_WORD}{16,}\\.${URL_WORD}{16,}`],
  ["xkeysib-", `${HEX}{60,}-${WORD}{10,}`],
  ["sk_live_", `${WORD}{16,}`],
  ["sk_test_", `${WORD}{16,}`],
  ["rk_live_", `${WORD}{16,}`],
  ["rk_test_", `${WORD}{16,}`],
  ["whsec_", "[A-Za-z0-9+/=]{24,}"],
  ["shpat_", "[0-9A-Fa-f]{32}"],
  ["shpca_", "[0-9A-Fa-f]{32}"],
  ["shppa_", "[0-9A-Fa-f]{32}"],
  ["shpss_", "[0-9A-Fa-f]{32}"],
  ["sq0atp-", `${URL_WORD}{22,}`],
  ["sq0csp-", `${URL_WORD}{40,}`],
  ["EAACEdEose0cBA", `${WORD}{20,}`],
];
