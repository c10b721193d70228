package settings

// Values are all settings, each with a value. They are shared between readers:
// do not change what they point to.
type Values struct {
	Model              string             `json:"model"`
	Profiles           map[string]Profile `json:"profiles"`
	ActiveProfile      string             `json:"active_profile"`
	CustomInstructions string             `json:"custom_instructions"`
	Language           string             `json:"language"`
	Mode               string             `json:"mode"`
	CustomModes        map[string]Mode    `json:"custom_modes"`

	AutoApprovalEnabled     bool     `json:"auto_approval_enabled"`
	AutoApprove             []string `json:"auto_approve"`
	AutoApprovalMaxRequests int      `json:"auto_approval_max_requests"`
	MistakeLimit            int      `json:"mistake_limit"`
	AllowedCommands         []string `json:"allowed_commands"`
	DeniedCommands          []string `json:"denied_commands"`

	TerminalOutputLines    int `json:"terminal_output_lines"`
	TerminalOutputBytes    int `json:"terminal_output_bytes"`
	TerminalTimeoutSeconds int `json:"terminal_timeout_seconds"`

	CheckpointsEnabled        bool `json:"checkpoints_enabled"`
	CheckpointsTimeoutSeconds int  `json:"checkpoints_timeout_seconds"`
	CheckpointsMaxFileBytes   int  `json:"checkpoints_max_file_bytes"`

	CondenseAuto    bool `json:"condense_auto"`
	CondensePercent int  `json:"condense_percent"`

	MCPServers map[string]MCPServer `json:"mcp_servers"`
	Budgets    Budgets              `json:"budgets"`

	ServerBudgets  Budgets  `json:"server_budgets"`
	FetchAllow     []string `json:"fetch_allow"`
	RetentionDays  int      `json:"retention_days"`
	SecretsKeyring bool     `json:"secrets_keyring"`
}

// Profile is a named set of model settings. What it leaves out is the model's
// own default.
type Profile struct {
	Model           string   `json:"model,omitempty"`
	MaxTokens       int      `json:"max_tokens,omitempty"`
	Temperature     *float64 `json:"temperature,omitempty"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"`
	// Fallback are the models to try, in this order, when Model does not answer.
	Fallback []string `json:"fallback,omitempty"`
}

// Mode is a way of working: what the agent is told, and which tools it has.
type Mode struct {
	Prompt string `json:"prompt"`
	// ToolGroups are classes of tools; all if the list is missing.
	ToolGroups []string `json:"tool_groups,omitempty"`
}

// MCPServer says how to reach a server of tools: a program to run, or a URL.
type MCPServer struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// Env holds references to secrets only: secret:NAME.
	Env map[string]string `json:"env,omitempty"`
	URL string            `json:"url,omitempty"`
	// Headers may hold references: Bearer secret:NAME.
	Headers     map[string]string `json:"headers,omitempty"`
	Disabled    bool              `json:"disabled,omitempty"`
	AlwaysAllow []string          `json:"always_allow,omitempty"`
}

// Budgets bound what work may cost.
type Budgets struct {
	Turn    Budget `json:"turn,omitzero"`
	Session Budget `json:"session,omitzero"`
	Owner   Budget `json:"owner,omitzero"`
}

// Budget is a pair of bounds: at the soft one a person is told, at the hard one
// work stops. Zero is no bound.
type Budget struct {
	SoftUSD    float64 `json:"soft_usd,omitempty"`
	HardUSD    float64 `json:"hard_usd,omitempty"`
	SoftTokens int     `json:"soft_tokens,omitempty"`
	HardTokens int     `json:"hard_tokens,omitempty"`
}

// Budget gives the bounds that hold: of the owner's and the server's the
// stricter ones.
func (v Values) Budget() Budgets {
	return Budgets{
		Turn:    v.Budgets.Turn.stricter(v.ServerBudgets.Turn),
		Session: v.Budgets.Session.stricter(v.ServerBudgets.Session),
		Owner:   v.Budgets.Owner.stricter(v.ServerBudgets.Owner),
	}
}

func (b Budget) stricter(o Budget) Budget {
	return Budget{
		SoftUSD: least(b.SoftUSD, o.SoftUSD), HardUSD: least(b.HardUSD, o.HardUSD),
		SoftTokens: least(b.SoftTokens, o.SoftTokens), HardTokens: least(b.HardTokens, o.HardTokens),
	}
}

// least is the smaller bound, of which zero is none.
func least[T int | float64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
