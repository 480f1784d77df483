;;; Asks claudevil-lsp through eglot.  -*- lexical-binding: t -*-
(package-initialize)
(require 'eglot)
(require 'cl-lib)
(setq eglot-server-programs '((prog-mode . ("claudevil-lsp")))
      eglot-connect-timeout 60
      eglot-sync-connect 60
      eglot-confirm-server-edits nil
      make-backup-files nil
      create-lockfiles nil)

(defun check (is-right what found)
  (unless is-right
    (error "eglot: %s: %S" what found)))

(find-file (expand-file-name "main.py" (getenv "PROJECT")))
(apply #'eglot--connect (eglot--guess-contact))
(eglot--maybe-activate-editing-mode)
(check (eglot-current-server) "the server starts" nil)

(defun at (line text)
  "Move to the beginning of TEXT on LINE, counted from 1."
  (goto-char (point-min))
  (forward-line (1- line))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun ask (method &rest more)
  (eglot--signal-textDocument/didChange)
  (jsonrpc-request (eglot-current-server) method
                   (append (eglot--TextDocumentPositionParams) more)))

(at 5 "feed")
(let ((found (ask :textDocument/definition)))
  (check (string-match-p "barn\\.py\\'" (or (plist-get (aref found 0) :uri)
                                            (plist-get (aref found 0) :targetUri)))
         "definition" found))
;; A line that is not saved.
(goto-char (point-min))
(insert "# 🦀 One\n")
(at 6 "feed")
(let* ((found (ask :textDocument/references :context '(:includeDeclaration :json-false)))
       (lines (sort (mapcar (lambda (one) (plist-get (plist-get (plist-get one :range) :start) :line))
                            found)
                    #'<)))
  (check (equal lines '(1 5)) "references" found))
(let ((found (ask :textDocument/hover)))
  (check (string-match-p "Feeds the animals" (format "%S" found)) "hover" found))
;; The text that is not saved is sent again to the next daemon.
(call-process "claudevil" nil nil nil "daemon" "stop")
(let ((found (ask :textDocument/documentHighlight)))
  (check (equal (sort (mapcar (lambda (one) (plist-get (plist-get (plist-get one :range) :start) :line))
                              found)
                      #'<)
                '(1 5))
         "highlights after the daemon was stopped" found))
;; A file that is open is edited without a question.
(find-file-noselect (expand-file-name "barn.py" (getenv "PROJECT")))
(eglot-rename "nourish")
(dolist (one '(("main.py" . "return nourish(3)") ("barn.py" . "def nourish(amount)")))
  (with-current-buffer (find-buffer-visiting (expand-file-name (car one) (getenv "PROJECT")))
    (check (string-match-p (regexp-quote (cdr one)) (buffer-string)) "rename" (buffer-string))
    (set-buffer-modified-p nil)))
(message "eglot: all answers are right")
(let ((server (eglot-current-server)))
  (eglot-shutdown server nil 10))
