"""PT911."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT911",
    name="file-too-long",
    severity=Severity.HINT,
    message="the file has {characters} characters: more than the {limit} up to which files are analysed",
    message_zh="文件有 {characters} 个字符，超过分析上限 {limit}",
    remedy="Move the kernels into a file of their own.",
    remedy_zh="请将 kernel 移到单独的文件中。",
)
