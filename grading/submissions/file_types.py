"""Which files are archives, texts, documents and sources, by how their names end."""

ARCHIVES = ('.7z', '.rar', '.tar', '.tgz', '.gz', '.bz2', '.xz')
TEXTS = ('text.html', 'onlinetext.html', 'link.html')  # of Canvas and Moodle
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
ONE_FILE = ('.zip', '.py', *ARCHIVES, *SOURCES)  # of files that may be whole submissions
