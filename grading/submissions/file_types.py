"""Kinds of files by suffix: archives, documents, source files."""

# The grader does not unpack these archives, only '.zip'.
ARCHIVES = ('.7z', '.rar', '.tar', '.tgz', '.gz', '.bz2', '.xz')
TYPED_TEXTS = ('text.html', 'onlinetext.html', 'link.html')  # what students typed into a form
DOCUMENTS = ('.pdf', '.txt', '.md', '.rtf', '.doc', '.docx', '.odt', '.html', '.png', '.jpg')
SOURCES = (
    '.c',
    '.cc',
    '.cpp',
    '.cs',
    '.go',
    '.hs',
    '.java',
    '.jar',
    '.js',
    '.kt',
    '.lua',
    '.php',
    '.rb',
    '.rs',
    '.scala',
    '.swift',
    '.ts',
)
ONE_FILE = ('.zip', '.py', *ARCHIVES, *SOURCES)  # a single such file may be a whole submission
